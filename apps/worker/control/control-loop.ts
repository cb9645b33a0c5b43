import type { Redis } from 'ioredis';
import type { Comparer } from '#lib/comparison/threads/comparison-threads';
import type { Pool } from '#lib/db/connection/pool';
import { busyLanes } from '#lib/db/engine/dispatch-lane';
import { runsToFinish, targetsToFinish } from '#lib/db/engine/finish-run';
import { runsToPrepare } from '#lib/db/engine/prepare-run';
import { rescoresToContinue } from '#lib/db/engine/rescore-run';
import { runsMaybeOverBudget } from '#lib/db/engine/run-budget';
import { targetsWithUnaskedItems } from '#lib/db/engine/unasked-items';
import type { LaneQueues } from '#lib/queue/lane-queue';
import type { Logger } from '#lib/runtime/logger';
import type { Embedder } from '../embeddings/embedder.js';
import { measureStepFailure, type LaneMeters } from '../health/worker-metrics.js';
import type { LaneBudgets } from '../models/lane-budgets.js';
import type { LaneWorkers } from '../items/lane-workers.js';
import type { RunCache } from '../items/run-cache.js';
import type { Settler } from '../items/settle.js';
import type { ReplyScorer } from '../scoring/score-reply.js';
import { FinishedRunJudge } from '../judge/judge-finished-runs.js';
import { Orchestrator } from '../orchestration/orchestrate.js';
import { Bulkhead } from './bulkhead.js';
import { comparePair, type ComparePair } from './compare-pair.js';
import { PreviousComparer } from './compare-with-previous.js';
import { Counter } from './count.js';
import { Dispatcher } from './dispatch.js';
import { LaneEvictor } from './evict-lanes.js';
import { Finisher } from './finish.js';
import { Housekeeping } from './housekeeping.js';
import { ORCHESTRATION_KINDS } from './orchestration-kinds.js';
import { Preparer } from './prepare.js';
import { PostgresContact, Reconciler } from './reconcile.js';
import { ExperimentRefresher } from './refresh-experiments.js';
import { RepeatingStep } from './repeating-step.js';
import { Rescorer } from './rescore.js';
import { STEP_CONCURRENCY, type StepPools } from './step-pools.js';
import { LaneWindows } from './window.js';

const TIMINGS = {
  dispatch: { idleMs: 500, gapMs: 20 },
  finish: { idleMs: 1000, gapMs: 50 },
  refresh: { idleMs: 1000, gapMs: 50 },
  against: { idleMs: 1000, gapMs: 50 },
  prepare: { idleMs: 1000, gapMs: 0 },
  rescore: { idleMs: 1000, gapMs: 0 },
  orchestrate: { idleMs: 1000, gapMs: 50 },
  count: { idleMs: 1000, gapMs: 50 },
  reconcile: { idleMs: 2000, gapMs: 2000 },
  housekeeping: { idleMs: 60_000, gapMs: 60_000 },
};
type StepName = keyof typeof TIMINGS;
/** How long a turn waits for a slow lane or team. */
const TURN_MS = 500;
/** Workers of the same lanes take turns dispatching, so that ten of them query Postgres no more often than one. */
const MAX_DISPATCH_TURNS = 10;

const byLane = ({ id }: { id: string }): string => id;
const byTeam = ({ teamId }: { teamId: string }): string => teamId;

/**
 * The steps that drive runs in every worker process: the steps of this folder, their intervals, and what each turn
 * works on. Each step is mutually exclusive across processes through a lock in Postgres, and can be repeated after a
 * crash at any line.
 */
export class ControlLoop {
  readonly #steps: Record<StepName, RepeatingStep>;
  #isStopping = false;
  readonly #compare: ComparePair = (...pair) => comparePair(this.deps.comparing, ...pair);

  constructor(
    readonly deps: {
      pool: Pool;
      pools: StepPools;
      redis: Redis;
      queues: LaneQueues;
      laneWorkers: LaneWorkers;
      settler: Settler;
      budgets: LaneBudgets;
      runs: RunCache;
      meters: LaneMeters;
      embedder: Embedder;
      scorer: ReplyScorer;
      comparing: Comparer;
      workerId: string;
      logger: Logger;
      /** Retention of exchanges in days; undefined: forever. */
      keepExchangesDays: number | undefined;
    },
  ) {
    const windows = new LaneWindows(deps.pool);
    this.#steps = {
      dispatch: this.#dispatchStep(windows),
      finish: this.#finishStep(),
      refresh: this.#refreshStep(),
      against: this.#againstStep(),
      prepare: this.#prepareStep(),
      rescore: this.#rescoreStep(),
      orchestrate: this.#orchestrateStep(),
      count: this.#countStep(),
      reconcile: this.#reconcileStep(windows),
      housekeeping: this.#housekeepingStep(),
    };
  }

  start(): void {
    for (const step of Object.values(this.#steps)) step.start();
  }

  /** Runs a step soon instead of after its idle interval. */
  wake(step: StepName): void {
    this.#steps[step].wake();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(Object.values(this.#steps).map((step) => step.stop()));
  }

  #dispatchStep(windows: LaneWindows): RepeatingStep {
    const { pool, workerId } = this.deps;
    const dispatcher = new Dispatcher({ ...this.deps, windows });
    const bulkhead = this.#bulkhead('dispatch');
    let workersTakingTurns = 1;
    const turn = async (): Promise<void> => {
      const lanes = await busyLanes(pool, workerId);
      workersTakingTurns = Math.min(MAX_DISPATCH_TURNS, Math.max(1, ...lanes.map((lane) => lane.workers)));
      await bulkhead.each(lanes, byLane, (lane) => dispatcher.dispatch(lane));
    };
    return this.#step('dispatch', turn, (gapMs) => gapMs * workersTakingTurns);
  }

  #reconcileStep(windows: LaneWindows): RepeatingStep {
    const { pool, pools, workerId } = this.deps;
    const reconciler = new Reconciler({ ...this.deps, locks: pools.locks });
    const evictor = new LaneEvictor({ ...this.deps, windows });
    const bulkhead = this.#bulkhead('reconcile');
    const contact = new PostgresContact();
    return this.#step('reconcile', async () => {
      const lanes = await busyLanes(pool, workerId);
      const mayJudgeLeases = contact.isSteady();
      await bulkhead.each(lanes, byLane, (lane) => reconciler.reconcile(lane, mayJudgeLeases));
      await evictor.evictIdle(new Set(lanes.map(byLane)));
    });
  }

  #finishStep(): RepeatingStep {
    const { pool, pools } = this.deps;
    const finisher = new Finisher({
      ...this.deps,
      locks: pools.locks,
      onTargetFinished: () => this.wake('finish'),
      onJobFinished: () => {
        this.wake('dispatch');
        this.wake('prepare');
        this.wake('orchestrate');
        this.wake('count');
        this.wake('against');
      },
      compare: this.#compare,
      onPlaced: () => this.wake('refresh'),
      onCompareFailure: (error, run) => this.#reportFailure('finish', error, run),
    });
    const bulkhead = this.#bulkhead('finish');
    return this.#step('finish', async (signal) => {
      await bulkhead.each(await targetsWithUnaskedItems(pool), byTeam, (target) => finisher.settleUnasked(target));
      await bulkhead.each(await targetsToFinish(pool), byTeam, (done) => finisher.finishTarget(done, signal));
      await bulkhead.each(await runsMaybeOverBudget(pool), byTeam, (run) => finisher.stopIfOverBudget(run));
      await bulkhead.each(await runsToFinish(pool), byTeam, (run) => finisher.finishRun(run, signal));
    });
  }

  #refreshStep(): RepeatingStep {
    const refresher = new ExperimentRefresher({
      pool: this.deps.pool,
      compare: this.#compare,
      onMoreToDo: () => this.wake('refresh'),
      onFailure: (error, { id, teamId }, runId) =>
        this.#reportFailure('refresh', error, { experimentId: id, teamId, runId }),
    });
    const bulkhead = this.#bulkhead('refresh');
    return this.#step('refresh', async (signal) =>
      bulkhead.each(await refresher.toRefresh(), byTeam, async (experiment) => {
        if (!signal.aborted) await refresher.refresh(experiment, signal);
      }),
    );
  }

  #againstStep(): RepeatingStep {
    const comparer = new PreviousComparer({
      pool: this.deps.pool,
      compare: this.#compare,
      onMoreToDo: () => this.wake('against'),
    });
    const bulkhead = this.#bulkhead('against');
    return this.#step('against', async (signal) =>
      bulkhead.each(await comparer.toCompare(), byTeam, async (run) => {
        if (!signal.aborted) await comparer.compare(run, signal);
      }),
    );
  }

  #prepareStep(): RepeatingStep {
    const preparer = new Preparer({
      ...this.deps,
      onMoreToDo: () => this.wake('prepare'),
      onPrepared: () => this.wake('dispatch'),
    });
    const bulkhead = this.#bulkhead('prepare');
    return this.#step('prepare', async (signal) =>
      bulkhead.each(await runsToPrepare(this.deps.pool), byTeam, async (run) => {
        if (!signal.aborted) await preparer.prepare(run);
      }),
    );
  }

  #rescoreStep(): RepeatingStep {
    const { pool } = this.deps;
    const rescorer = new Rescorer({ ...this.deps, onMoreToDo: () => this.wake('rescore') });
    const bulkhead = this.#bulkhead('rescore');
    return this.#step('rescore', async (signal) =>
      bulkhead.each(await rescoresToContinue(pool), byTeam, async (rescore) => {
        if (!signal.aborted) await rescorer.rescore(rescore, signal);
      }),
    );
  }

  #orchestrateStep(): RepeatingStep {
    const { pool, pools, redis, comparing } = this.deps;
    const orchestrator = new Orchestrator({
      pool,
      redis,
      kinds: ORCHESTRATION_KINDS,
      steps: { pool: pools.comparing, comparing },
      onChildren: () => this.wake('dispatch'),
      onMoreToDo: () => this.wake('orchestrate'),
    });
    const judge = new FinishedRunJudge({ pool, redis, onSubmitted: () => this.wake('orchestrate') });
    const bulkhead = this.#bulkhead('orchestrate');
    return this.#step('orchestrate', async (signal) => {
      await bulkhead.each(await judge.toJudge(), byTeam, async (run) => {
        if (!signal.aborted) await judge.judge(run);
      });
      await bulkhead.each(await orchestrator.toAdvance(), byTeam, async (orchestration) => {
        if (!signal.aborted) await orchestrator.advance(orchestration, signal);
      });
    });
  }

  #countStep(): RepeatingStep {
    const { comparing, pools } = this.deps;
    const counter = new Counter({ pool: pools.comparing, locks: pools.locks, comparing });
    const bulkhead = this.#bulkhead('count');
    return this.#step('count', async (signal) =>
      bulkhead.each(await counter.toCount(), counter.keyOf, async (run) => {
        if (!signal.aborted) await counter.count(run, signal);
      }),
    );
  }

  #housekeepingStep(): RepeatingStep {
    const { pools, runs } = this.deps;
    const housekeeping = new Housekeeping({ ...this.deps, locks: pools.locks });
    return this.#step('housekeeping', async (signal) => {
      runs.sweep();
      await housekeeping.run(signal);
    });
  }

  #step(
    name: StepName,
    turn: (signal: AbortSignal) => Promise<void>,
    gap: (gapMs: number) => number = (gapMs) => gapMs,
  ): RepeatingStep {
    const { idleMs, gapMs } = TIMINGS[name];
    return new RepeatingStep(turn, { idleMs, gapMs: () => gap(gapMs) }, (error) => {
      measureStepFailure(name);
      this.deps.logger.warn(
        { step: name, error: error.message },
        'A step of the control loop failed; it will be retried',
      );
    });
  }

  /** Reports the errors of a lane or team with the ids concerned. */
  #bulkhead(step: StepName): Bulkhead {
    return new Bulkhead({
      concurrency: STEP_CONCURRENCY,
      turnMs: TURN_MS,
      onFailure: (error, item) => this.#reportFailure(step, error, item),
    });
  }

  #reportFailure(step: StepName, error: Error, item: unknown): void {
    if (this.#isStopping) return;
    measureStepFailure(step);
    this.deps.logger.warn(
      { step, ...idsOf(item), error: error.message, stack: error.stack },
      'A step of the control loop failed for one key; it will be retried',
    );
  }
}

/** The ids of a lane, or of a team with its run, job, experiment and orchestration, for the log. */
function idsOf(item: unknown): object {
  const { id, name, runId, jobId, teamId, experimentId, orchestrationId } = item as Record<string, string | undefined>;
  return teamId === undefined
    ? { lane: id, lane_name: name }
    : {
        team: teamId,
        run: runId ?? id,
        job: jobId,
        experiment: experimentId ?? undefined,
        orchestration: orchestrationId,
      };
}
