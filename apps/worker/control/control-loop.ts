import type { Comparer } from '#lib/comparison/threads/comparison-threads';
import type { Pool } from '#lib/db/connection/pool';
import { laneLoads, lanesOfRuns } from '#lib/db/engine/busy-lanes';
import { runsToFinish, targetsToFinish } from '#lib/db/engine/finish-run';
import { runsToPrepare } from '#lib/db/engine/prepare-run';
import { rescoresToContinue } from '#lib/db/engine/rescore-run';
import { runsMaybeOverBudget } from '#lib/db/engine/run-budget';
import { usersToStart } from '#lib/db/engine/start-pending-jobs';
import { targetsWithUnaskedItems } from '#lib/db/engine/unasked-items';
import { notify } from '#lib/events/notifications';
import type { LaneQueues } from '#lib/queue/lane-queue';
import type { Logger } from '#lib/runtime/logger';
import type { Redis } from '#lib/runtime/redis';
import type { Embedder } from '../embeddings/embedder.js';
import { OWNED_STEPS, type Fleet, type OwnedStep } from '../fleet/fleet.js';
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
import { LaneServer } from './serve-lanes.js';
import { LOOK, TIMINGS, type StepName } from './timings.js';
import { LaneWindows } from './window.js';

/** How long a turn waits for a slow lane or team. */
const TURN_MS = 500;
/** The owner of a step asks the others for help at most this often. */
const HELP_EVERY_MS = 1000;

const byLane = ({ id }: { id: string }): string => id;
const byTeam = ({ teamId }: { teamId: string }): string => teamId;

/**
 * The steps that drive runs in every worker process: the steps of this folder, their intervals, and what each turn
 * works on. The idle turns of most steps fall to one worker (`Fleet`); an event in a process wakes its own step, and
 * an owner with more work than it can do asks others for help. Each step is mutually exclusive across processes through
 * a lock in Postgres, and can be repeated after a crash at any line.
 */
export class ControlLoop {
  readonly #steps: Record<StepName, RepeatingStep>;
  readonly #dispatcher: Dispatcher;
  readonly #laneServer: LaneServer;
  readonly #windows: LaneWindows;
  readonly #askedAt = new Map<StepName, number>();
  #isStopping = false;
  /** Whether the next look is for work in any lane, not only in those that this process owns. */
  #looksAtAll = false;
  readonly #compare: ComparePair = (...pair) => comparePair(this.deps.comparing, ...pair);

  constructor(
    readonly deps: {
      pool: Pool;
      pools: StepPools;
      fleet: Fleet;
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
    } & Pick<Housekeeping['deps'], 'sealer' | 'keepExchangesDays' | 'keepAuditDays'>,
  ) {
    this.#windows = new LaneWindows(deps);
    this.#laneServer = new LaneServer(deps);
    this.#dispatcher = new Dispatcher({ ...deps, windows: this.#windows, laneServer: this.#laneServer });
    this.#steps = {
      look: this.#lookStep(),
      dispatch: this.#dispatchStep(),
      finish: this.#finishStep(),
      refresh: this.#refreshStep(),
      against: this.#againstStep(),
      prepare: this.#prepareStep(),
      rescore: this.#rescoreStep(),
      orchestrate: this.#orchestrateStep(),
      count: this.#countStep(),
      reconcile: this.#reconcileStep(),
      evict: this.#evictStep(),
      housekeeping: this.#housekeepingStep(),
    };
  }

  start(): void {
    for (const step of Object.values(this.#steps)) step.start();
  }

  /** Runs a step soon instead of after its idle interval, whoever owns it. */
  wake(step: StepName): void {
    this.#steps[step].wake();
  }

  /** These lanes may have work, or room for more. */
  dispatch(laneIds: Iterable<string>): void {
    this.#dispatcher.markDue(laneIds);
    this.wake('dispatch');
  }

  /** Targets of these runs have no more items to settle, for which other targets may have waited in other lanes. */
  targetsEnded(runIds: readonly string[]): void {
    this.wake('finish');
    lanesOfRuns(this.deps.pool, runIds).then(
      (laneIds) => this.dispatch(laneIds),
      () => {}, // Their owners look soon.
    );
  }

  /** Another process says that a lane has got work. */
  laneHasWork(laneId: string): void {
    if (this.deps.fleet.isNear(laneId)) this.dispatch([laneId]);
    if (this.deps.fleet.ownsStep('prepare')) this.wake('prepare');
  }

  /** The owner of a step has more work than it can do. */
  help(step: string): void {
    const owned = OWNED_STEPS.find((one) => one === step);
    if (owned && this.deps.fleet.helpsWith(owned)) this.wake(owned);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(Object.values(this.#steps).map((step) => step.stop()));
  }

  #lookStep(): RepeatingStep {
    const { fleet } = this.deps;
    const { perWorkerMs, minMs, maxMs } = LOOK;
    const timing = {
      idleMs: () => Math.min(maxMs, Math.max(minMs, perWorkerMs * fleet.size)),
      gapMs: () => TIMINGS.dispatch.gapMs * this.#dispatcher.turns,
    };
    return this.#step('look', timing, async () => {
      const looksAtAll = this.#looksAtAll;
      this.#looksAtAll = false;
      await fleet.look();
      const shares = fleet.shares();
      this.#laneServer.update(shares);
      this.dispatch(shares.filter(({ isOwner }) => isOwner || looksAtAll).map(({ lane }) => lane.id));
    });
  }

  #dispatchStep(): RepeatingStep {
    const dispatcher = this.#dispatcher;
    const bulkhead = this.#bulkhead('dispatch');
    const { idleMs, gapMs } = TIMINGS.dispatch;
    return this.#step('dispatch', { idleMs: () => idleMs, gapMs: () => gapMs * dispatcher.turns }, async () => {
      await bulkhead.each(await dispatcher.takeDue(), byLane, (lane) => dispatcher.dispatch(lane));
    });
  }

  #reconcileStep(): RepeatingStep {
    const { pool, pools, fleet } = this.deps;
    const reconciler = new Reconciler({ ...this.deps, locks: pools.locks });
    const bulkhead = this.#bulkhead('reconcile');
    const contact = new PostgresContact();
    return this.#step('reconcile', TIMINGS.reconcile, async () => {
      const owned = fleet.shares().filter(({ isOwner }) => isOwner);
      const lanes = await laneLoads(
        pool,
        owned.map(({ lane }) => lane.id),
      );
      const mayJudgeLeases = contact.isSteady();
      await bulkhead.each(lanes, byLane, async (lane) => {
        await reconciler.reconcile(lane, mayJudgeLeases);
        fleet.hasServedLane(lane.id);
      });
    });
  }

  #evictStep(): RepeatingStep {
    const evictor = new LaneEvictor({ ...this.deps, windows: this.#windows });
    return this.#step('evict', TIMINGS.evict, () =>
      evictor.evictIdle(new Set(this.deps.fleet.shares().map(({ lane }) => lane.id))),
    );
  }

  #finishStep(): RepeatingStep {
    const { pool, pools } = this.deps;
    const finisher = new Finisher({
      ...this.deps,
      locks: pools.locks,
      onTargetFinished: () => this.wake('finish'),
      onJobFinished: () => {
        this.#looksAtAll = true; // Waiting jobs may have started.
        this.wake('look');
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
    return this.#ownedStep('finish', async (signal) => {
      let left = await bulkhead.each(await targetsWithUnaskedItems(pool), byTeam, (one) => finisher.settleUnasked(one));
      left += await bulkhead.each(await targetsToFinish(pool), byTeam, (done) => finisher.finishTarget(done, signal));
      left += await bulkhead.each(await runsMaybeOverBudget(pool), byTeam, (run) => finisher.stopIfOverBudget(run));
      left += await bulkhead.each(await runsToFinish(pool), byTeam, (run) => finisher.finishRun(run, signal));
      left += await bulkhead.each(await usersToStart(pool), byTeam, (user) => finisher.startJobs(user));
      return left;
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
    return this.#ownedStep('refresh', async (signal) =>
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
    return this.#ownedStep('against', async (signal) =>
      bulkhead.each(await comparer.toCompare(), byTeam, async (run) => {
        if (!signal.aborted) await comparer.compare(run, signal);
      }),
    );
  }

  #prepareStep(): RepeatingStep {
    const preparer = new Preparer({
      ...this.deps,
      onMoreToDo: () => this.wake('prepare'),
      onPrepared: (laneIds) => this.dispatch(laneIds),
    });
    const bulkhead = this.#bulkhead('prepare');
    return this.#ownedStep('prepare', async (signal) =>
      bulkhead.each(await runsToPrepare(this.deps.pool), byTeam, async (run) => {
        if (!signal.aborted) await preparer.prepare(run);
      }),
    );
  }

  #rescoreStep(): RepeatingStep {
    const { pool } = this.deps;
    const rescorer = new Rescorer({ ...this.deps, onMoreToDo: () => this.wake('rescore') });
    const bulkhead = this.#bulkhead('rescore');
    return this.#ownedStep('rescore', async (signal) =>
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
      onChildren: (laneIds) => this.dispatch(laneIds),
      onMoreToDo: () => this.wake('orchestrate'),
    });
    const judge = new FinishedRunJudge({ pool, redis, onSubmitted: () => this.wake('orchestrate') });
    const bulkhead = this.#bulkhead('orchestrate');
    return this.#ownedStep('orchestrate', async (signal) => {
      const left = await bulkhead.each(await judge.toJudge(), byTeam, async (run) => {
        if (!signal.aborted) await judge.judge(run);
      });
      return (
        left +
        (await bulkhead.each(await orchestrator.toAdvance(), byTeam, async (orchestration) => {
          if (!signal.aborted) await orchestrator.advance(orchestration, signal);
        }))
      );
    });
  }

  #countStep(): RepeatingStep {
    const { comparing, pools } = this.deps;
    const counter = new Counter({ pool: pools.comparing, locks: pools.locks, comparing });
    const bulkhead = this.#bulkhead('count');
    return this.#ownedStep('count', async (signal) =>
      bulkhead.each(await counter.toCount(), counter.keyOf, async (run) => {
        if (!signal.aborted) await counter.count(run, signal);
      }),
    );
  }

  #housekeepingStep(): RepeatingStep {
    const { pools, runs } = this.deps;
    const housekeeping = new Housekeeping({ ...this.deps, locks: pools.locks });
    return this.#step('housekeeping', TIMINGS.housekeeping, async (signal) => {
      runs.sweep();
      await housekeeping.run(signal);
    });
  }

  /**
   * A step whose idle turns fall to its owner.
   * @param turn returns how many items it has left to others
   */
  #ownedStep(name: OwnedStep, turn: (signal: AbortSignal) => Promise<number>): RepeatingStep {
    const { fleet } = this.deps;
    return this.#step(name, TIMINGS[name], async (signal, isWoken) => {
      const isOwner = fleet.ownsStep(name);
      if (!isOwner && !isWoken) return;
      const left = await turn(signal);
      if (!isOwner) return;
      fleet.hasServedStep(name);
      if (left > 0) this.#askForHelp(name);
    });
  }

  #askForHelp(step: OwnedStep): void {
    if (performance.now() - (this.#askedAt.get(step) ?? -Infinity) < HELP_EVERY_MS) return;
    this.#askedAt.set(step, performance.now());
    void notify(this.deps.redis, { topic: 'step', id: step });
  }

  #step(
    name: StepName,
    { idleMs, gapMs }: { idleMs: number | (() => number); gapMs: number | (() => number) },
    turn: (signal: AbortSignal, isWoken: boolean) => Promise<void>,
  ): RepeatingStep {
    const timing = { idleMs: valueOf(idleMs), gapMs: valueOf(gapMs) };
    return new RepeatingStep(turn, timing, (error) => {
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

const valueOf = (ms: number | (() => number)): (() => number) => (typeof ms === 'number' ? () => ms : ms);
