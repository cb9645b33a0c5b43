import type { Redis } from 'ioredis';
import {
  busyLanes,
  dispatchLane,
  distinctRunIds,
  type BusyLane,
  type Delivery,
  type LaneLimits,
} from '#lib/db/engine/dispatch-lane';
import { purgeRun, runsToPurge } from '#lib/db/upkeep/delete-run';
import { dropOldExchanges } from '#lib/db/upkeep/drop-exchanges';
import { runsToFinish, targetsToFinish, finishRun, finishTarget, type TargetToFinish } from '#lib/db/engine/finish-run';
import { withAdvisoryLock } from '#lib/db/connection/advisory-lock';
import { createPool, longQuery, type Pool } from '#lib/db/connection/pool';
import { prepareRun, runsToPrepare } from '#lib/db/engine/prepare-run';
import { expireCachedReplies } from '#lib/db/engine/reply-cache';
import { removeUnusedEmbeddings } from '#lib/db/upkeep/unused-embeddings';
import { rescoresToContinue, type RescoreToContinue } from '#lib/db/engine/rescore-run';
import { abandonStaleRecordings } from '#lib/db/engine/record-run';
import { removeUnusedVersions } from '#lib/db/upkeep/suite-versions';
import { runsMaybeOverBudget, stopIfOverBudget } from '#lib/db/engine/run-budget';
import { findPlace } from '#lib/db/read/for-workers/load-run';
import { laneLatencyMs } from '#lib/db/read/for-workers/lane-latency';
import { missingLanes, removeUnusedLanes } from '#lib/db/upkeep/unused-lanes';
import { reconcileLane } from '#lib/db/engine/reconcile-lane';
import { resultsOfTarget } from '#lib/db/read/results';
import { setWaitReason } from '#lib/db/engine/set-wait-reason';
import { notify } from '#lib/events/notifications';
import { readLaneState } from '#lib/queue/budget/lane-state';
import type { LaneQueues } from '#lib/queue/lane-queue';
import type { Logger } from '#lib/runtime/logger';
import { SummaryBuilder } from '#lib/scoring/statistics/summarise';
import type { Embedder } from '../embeddings/embedder.js';
import type { LaneBudgets } from '../items/lane-budgets.js';
import { slotsFor, type LaneWorkers } from '../items/lane-workers.js';
import { rescorePage } from './rescore-page.js';
import type { RunCache } from '../items/run-cache.js';
import type { ReplyScorer } from '../scoring/score-reply.js';
import { crashed } from '../items/run-item.js';
import { Bulkhead } from './bulkhead.js';
import { measureStepFailure, type LaneMeters } from '../health/worker-metrics.js';

/**
 * How often a step is done when nobody wakes it, and the least time between two turns: what arrives meanwhile is
 * done together.
 */
const STEPS = {
  dispatch: { idleMs: 500, gapMs: 20 },
  finish: { idleMs: 1000, gapMs: 50 },
  prepare: { idleMs: 1000, gapMs: 0 },
  rescore: { idleMs: 1000, gapMs: 0 },
  reconcile: { idleMs: 2000, gapMs: 2000 },
  housekeeping: { idleMs: 60_000, gapMs: 60_000 },
};
type Step = keyof typeof STEPS;
/** So many lanes or teams of a step are worked on side by side, and a turn waits so long for one that is slow. */
const AT_ONCE = 4;
const PATIENCE_MS = 500;
/** A lane without work is kept so long for the next. */
const IDLE_LANE_MS = 5 * 60_000;
/** A page of a rescore may wait for an embedding model, and for threads; what it has learned by then is kept. */
const LONGEST_PAGE_MS = 120_000;

/**
 * Connections that hold the locks of steps, apart from those that do the work: whoever holds a lock asks for one of
 * the latter, and could wait for ever if all were held by others that do the same.
 */
export class Locks {
  /** Of steps that take as long as Postgres does. */
  readonly short: Pool;
  /** Of what waits for others, too. */
  readonly long: Pool;

  constructor(databaseUrl: string, logger: Logger) {
    this.short = createPool(databaseUrl, 2 * AT_ONCE + 2, logger);
    this.long = createPool(databaseUrl, AT_ONCE, logger);
  }

  async close(): Promise<void> {
    await Promise.all([this.short.end(), this.long.end()]);
  }
}
/**
 * Those who work on the same lanes take turns to dispatch: together as often as one would alone, so that more of
 * them ask no more.
 */
const MOST_TURNS = 10;
/** Until a lane has settled something, and how long what it is known to take holds. */
const UNKNOWN_LATENCY_MS = 5000;
const LATENCY_TTL_MS = 2000;
/**
 * Who has not seen Postgres for so long was cut off, or frozen; and by when everyone who lives has renewed their
 * leases after that.
 */
const OUT_OF_REACH_MS = 3 * STEPS.reconcile.idleMs;
const RENEWED_BY_MS = 5000;
/** Pauses that a provider asks for are worth a word when they are longer. */
const LONG_PAUSE_MS = 5000;

/** How many items of a lane may be claimed in the whole fleet, and how many more queued ahead. */
interface Window {
  slots: number;
  ahead: number;
}

/**
 * A lane's window: the slots that can be busy, and a little more so that none waits for the dispatcher. Whatever is
 * queued ahead of a newcomer is its extra wait, so under a limit of requests only half a second of it is queued,
 * and no more slots are counted than that rate can keep busy at twice the latency of late.
 */
function windowOf(
  { max_concurrency: concurrency, requests_per_minute: rpm }: LaneLimits,
  latencyMs = UNKNOWN_LATENCY_MS,
): Window {
  const ratePerS = rpm === null ? Infinity : rpm / 60;
  const busy = Math.min(concurrency, Math.max(1, Math.ceil((ratePerS * Math.max(250, 2 * latencyMs)) / 1000)));
  return { slots: slotsFor(busy), ahead: Math.max(2, Math.min(Math.ceil(ratePerS / 2), Math.ceil(concurrency / 4))) };
}

/** Whether enough of what is queued ahead is gone: handing out a few items costs nearly what handing out many does. */
const worthwhile = ({ waiting, in_flight }: BusyLane, { slots, ahead }: Window): boolean =>
  waiting && slots + ahead - in_flight >= Math.max(1, ahead / 4);

/**
 * What keeps runs going, in every worker process: preparing, dispatching, finishing, reconciling. Each step
 * excludes its twins in other processes by a lock in Postgres, and can be repeated after a crash at any line.
 */
export class ControlLoop {
  readonly #stop = new AbortController();
  readonly #loops: Promise<void>[] = [];
  readonly #wakes = new Map<Step, () => void>();
  #sawPostgresAt = -Infinity;
  #inTouchSince = 0;
  /** How many processes hold items of the lane that most hold items of. */
  #turns = 1;
  readonly #latencies = new Map<string, { readAt: number; ms: number | undefined }>();
  /** Who shares each step: of these two lanes, of the others teams. */
  readonly #dispatching = this.#shares('dispatch');
  readonly #reconciling = this.#shares('reconcile');
  readonly #finishing = this.#shares('finish');
  readonly #preparing = this.#shares('prepare');
  readonly #rescoring = this.#shares('rescore');

  constructor(
    readonly of: {
      pool: Pool;
      locks: Locks;
      redis: Redis;
      queues: LaneQueues;
      workers: LaneWorkers;
      budgets: LaneBudgets;
      runs: RunCache;
      meters: LaneMeters;
      embedder: Embedder;
      scorer: ReplyScorer;
      worker: string;
      logger: Logger;
      /** Left out: for good. */
      keepExchangesDays: number | undefined;
    },
  ) {}

  start(): void {
    this.#repeat('dispatch', () => this.#dispatch());
    this.#repeat('finish', () => this.#finish());
    this.#repeat('prepare', () => this.#prepare());
    this.#repeat('rescore', () => this.#rescore());
    this.#repeat('reconcile', () => this.#reconcile());
    this.#repeat('housekeeping', () => this.#keepHouse());
  }

  /** Does a step soon instead of at its next turn. */
  wake(step: Step): void {
    this.#wakes.get(step)?.();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    for (const wake of this.#wakes.values()) wake();
    await Promise.all(this.#loops);
  }

  #repeat(step: Step, work: () => Promise<void>): void {
    const { idleMs, gapMs } = STEPS[step];
    const { signal } = this.#stop;
    let woken = false;
    let wake = (): void => {};
    this.#wakes.set(step, () => {
      woken = true;
      wake();
    });
    const pause = (ms: number, until: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          if (!until()) return;
          clearTimeout(timer);
          resolve();
        };
        wake();
      });
    const loop = async (): Promise<void> => {
      while (!signal.aborted) {
        woken = false;
        await work().catch((error: Error) => {
          measureStepFailure(step);
          this.of.logger.warn({ step, error: error.message }, 'A step of the control loop failed; it is repeated');
        });
        const gap = step === 'dispatch' ? gapMs * this.#turns : gapMs;
        await pause(gap, () => signal.aborted);
        await pause(idleMs - gap, () => woken || signal.aborted);
      }
    };
    this.#loops.push(loop());
  }

  /** What one lane or team throws is told with what it concerns, and counted. */
  #shares(step: Step): Bulkhead {
    return new Bulkhead({
      atOnce: AT_ONCE,
      patienceMs: PATIENCE_MS,
      onFailure: (error, item) => {
        if (this.#stop.signal.aborted) return;
        measureStepFailure(step);
        this.of.logger.warn(
          { step, ...concerned(item), error: error.message, stack: error.stack },
          'A step of the control loop failed for one of many; it is repeated',
        );
      },
    });
  }

  async #dispatch(): Promise<void> {
    const lanes = await busyLanes(this.of.pool, this.of.worker);
    this.#turns = Math.min(MOST_TURNS, Math.max(1, ...lanes.map((lane) => lane.workers)));
    await this.#dispatching.each(
      lanes,
      ({ id }) => id,
      (lane) => this.#dispatchLane(lane),
    );
  }

  async #dispatchLane(lane: BusyLane): Promise<void> {
    const { pool, queues, workers, meters } = this.of;
    workers.serve(lane);
    if (lane.paused_at) return;
    const window = windowOf(lane, await this.#latencyOf(lane));
    const items = window.slots + window.ahead;
    meters.of(lane).window(items);
    if (!worthwhile(lane, window)) return;
    const deliveries = await dispatchLane(pool, lane.id, items);
    if (deliveries.length) await this.#enqueue(queues, lane.id, deliveries);
  }

  /** Only lanes with a limit of requests need it. */
  async #latencyOf({ id, requests_per_minute }: LaneLimits): Promise<number | undefined> {
    if (requests_per_minute === null) return undefined;
    let latency = this.#latencies.get(id);
    if (!latency || performance.now() - latency.readAt > LATENCY_TTL_MS) {
      latency = { readAt: performance.now(), ms: await laneLatencyMs(this.of.pool, id) };
      this.#latencies.set(id, latency);
    }
    return latency.ms;
  }

  /** What could not be added is in flight in Postgres all the same; the reconciler adds it. */
  async #enqueue(queues: LaneQueues, laneId: string, deliveries: Delivery[]): Promise<void> {
    await queues
      .add(laneId, deliveries)
      .catch((error: Error) =>
        this.of.logger.warn(
          { lane: laneId, runs: distinctRunIds(deliveries), items: deliveries.length, error: error.message },
          'Items could not be queued; they will be within seconds of Redis being back',
        ),
      );
  }

  async #reconcile(): Promise<void> {
    const lanes = await busyLanes(this.of.pool, this.of.worker);
    const now = performance.now();
    if (now - this.#sawPostgresAt > OUT_OF_REACH_MS) this.#inTouchSince = now;
    this.#sawPostgresAt = now;
    const mayJudge = now - this.#inTouchSince >= RENEWED_BY_MS;
    await this.#reconciling.each(
      lanes,
      ({ id }) => id,
      async (lane) => {
        await withAdvisoryLock(this.of.locks.short, `reconcile ${lane.id}`, () => this.#reconcileLane(lane, mayJudge));
      },
    );
    await this.#letGoOfLanes(new Set(lanes.map(({ id }) => id)));
  }

  /**
   * A lane costs each process two connections to Redis: one without work is let go of after minutes, and one that
   * is gone at once.
   */
  async #letGoOfLanes(busy: ReadonlySet<string>): Promise<void> {
    const { pool, budgets, workers, queues } = this.of;
    const idle = budgets.idleFor(0).filter((id) => !busy.has(id));
    if (idle.length === 0) return;
    const left = new Set([
      ...(await missingLanes(pool, idle)),
      ...budgets.idleFor(IDLE_LANE_MS).filter((id) => !busy.has(id)),
    ]);
    for (const id of left) {
      this.#latencies.delete(id);
      // Farewells to a Redis that is away take long.
      void Promise.all([workers.letGo(id), queues.evict(id)]).catch((error: Error) =>
        this.of.logger.warn({ lane: id, error: error.message }, 'A lane could not be let go of'),
      );
    }
  }

  async #reconcileLane(lane: BusyLane, mayJudge: boolean): Promise<void> {
    const { pool, redis, queues, workers, meters, worker, logger } = this.of;
    for (const jobId of await setWaitReason(pool, lane, await this.#reasonToWait(lane)))
      await notify(redis, { topic: 'job', id: jobId });
    const { redeliver, poisoned } = await reconcileLane(pool, lane.id, worker, mayJudge, (deliveries) =>
      queues.findMissing(lane.id, deliveries),
    );
    const meter = meters.of(lane);
    const died = redeliver.filter((delivery) => delivery.lost).length;
    meter.redelivered(redeliver.length, died);
    meter.crashed(died + poisoned.length);
    if (redeliver.length) {
      logger.info(
        { lane: lane.id, runs: distinctRunIds(redeliver), items: redeliver.length },
        'Queueing items again whose queue job or process was lost',
      );
      await this.#enqueue(queues, lane.id, redeliver);
    }
    for (const { crashes, ...delivery } of poisoned) {
      const place = await findPlace(pool, delivery);
      if (!place) continue;
      const settlement = crashed({ delivery, ...place }, crashes);
      if (await workers.settle(lane.id, settlement)) meter.ended(settlement);
    }
  }

  /** What keeps a lane from working for longer than a moment. */
  async #reasonToWait(lane: LaneLimits): Promise<string | undefined> {
    if (lane.paused_at) return `since ${lane.paused_at.toISOString()}: the lane is paused.`;
    const state = await readLaneState(this.of.redis, lane.id).catch(() => undefined);
    if (state?.outage) return `since ${new Date(state.outage.since).toISOString()}: ${state.outage.error}`;
    if (state?.blockedUntil && state.blockedUntil > Date.now() + LONG_PAUSE_MS)
      return `until ${new Date(state.blockedUntil).toISOString()}: it asked for a pause.`;
    return undefined;
  }

  async #finish(): Promise<void> {
    const { pool, redis } = this.of;
    const byTeam = ({ teamId }: { teamId: string }): string => teamId;
    const moved = async (jobId: string | undefined): Promise<void> => {
      if (jobId === undefined) return;
      this.wake('dispatch'); // a job that waited for this one may have started
      this.wake('prepare');
      await notify(redis, { topic: 'job', id: jobId });
    };
    await this.#finishing.each(await targetsToFinish(pool), byTeam, (done) => this.#finishTarget(done));
    await this.#finishing.each(await runsMaybeOverBudget(pool), byTeam, async (run) =>
      moved(await stopIfOverBudget(pool, run)),
    );
    await this.#finishing.each(await runsToFinish(pool), byTeam, async (run) => moved(await finishRun(pool, run)));
  }

  async #finishTarget({ target, ...done }: TargetToFinish): Promise<void> {
    const { pool, locks } = this.of;
    const { runId, ordinal } = done;
    await withAdvisoryLock(locks.short, `finish ${runId} ${ordinal}`, async () => {
      const summary = new SummaryBuilder({ seed: ordinal });
      for await (const page of resultsOfTarget(pool, runId, ordinal)) {
        this.#stop.signal.throwIfAborted();
        for (const item of page) summary.add(item);
      }
      await finishTarget(pool, done, { ...summary.finish(), target });
    });
    this.wake('finish');
  }

  /** A piece of each, in turn, so that a large run holds up no small one. */
  async #prepare(): Promise<void> {
    const { pool, redis } = this.of;
    await this.#preparing.each(
      await runsToPrepare(pool),
      ({ teamId }) => teamId,
      async (run) => {
        if (this.#stop.signal.aborted) return;
        const prepared = await prepareRun(pool, run);
        if (!prepared) return;
        if (prepared.more) this.wake('prepare');
        else this.wake('dispatch');
        for (const id of prepared.lanes) await notify(redis, { topic: 'lane', id });
        await notify(redis, { topic: 'job', id: run.jobId });
      },
    );
  }

  /** A page of each, in turn, so that a large run holds up no small one. */
  async #rescore(): Promise<void> {
    await this.#rescoring.each(
      await rescoresToContinue(this.of.pool),
      ({ teamId }) => teamId,
      (rescore) => this.#rescorePage(rescore),
    );
  }

  async #rescorePage(rescore: RescoreToContinue): Promise<void> {
    const { signal } = this.#stop;
    if (signal.aborted) return;
    await withAdvisoryLock(this.of.locks.long, `rescore ${rescore.id}`, async () => {
      if (await rescorePage(this.of, rescore, AbortSignal.any([signal, AbortSignal.timeout(LONGEST_PAGE_MS)])))
        this.wake('rescore');
      await notify(this.of.redis, { topic: 'job', id: rescore.jobId });
    });
  }

  /** Each of these can fail by itself; the others are done all the same. */
  async #keepHouse(): Promise<void> {
    const { pool, logger, keepExchangesDays, runs } = this.of;
    const { signal } = this.#stop;
    runs.sweep();
    const inPieces = async (removePiece: (pool: Pool) => Promise<boolean>): Promise<void> => {
      while (!signal.aborted && (await removePiece(pool)));
    };
    const chores: Record<string, () => Promise<unknown>> = {
      'make partitions': () => longQuery(pool, `SELECT ensure_partitions(now() + interval '3 months')`),
      'forget idempotency keys': () =>
        pool.query(`DELETE FROM idempotency_key WHERE created_at < now() - interval '24 hours'`),
      'drop old exchanges': async () => {
        const dropped = keepExchangesDays === undefined ? [] : await dropOldExchanges(pool, keepExchangesDays);
        if (dropped.length) logger.info({ partitions: dropped }, 'Removed raw exchanges that were kept long enough');
      },
      'expire replies': () => inPieces(expireCachedReplies),
      'give up recordings that were left behind': () => abandonStaleRecordings(pool),
      'purge deleted runs': () => this.#purge(),
      'remove unused versions of suites': () => inPieces(removeUnusedVersions),
      'remove unused embeddings': () => inPieces(removeUnusedEmbeddings),
      'remove unused lanes': () => removeUnusedLanes(pool),
    };
    await withAdvisoryLock(this.of.locks.short, 'housekeeping', async () => {
      for (const [chore, work] of Object.entries(chores)) {
        if (signal.aborted) return;
        await work().catch((error: Error) => {
          measureStepFailure('housekeeping');
          logger.warn({ step: 'housekeeping', chore, error: error.message }, 'A chore failed; it is repeated');
        });
      }
    });
  }

  /** A piece of each, in turn. One that fails is left for the next time. */
  async #purge(): Promise<void> {
    const { pool } = this.of;
    const purging = new Set(await runsToPurge(pool));
    while (purging.size && !this.#stop.signal.aborted) {
      for (const runId of [...purging]) {
        if (this.#stop.signal.aborted) return;
        const more = await purgeRun(pool, runId).catch((error: Error) => {
          measureStepFailure('housekeeping');
          this.of.logger.warn(
            { step: 'housekeeping', run: runId, error: error.message },
            'What a deleted run left behind could not be removed; it will be tried again',
          );
        });
        if (!more) purging.delete(runId);
      }
    }
  }
}

/** What of an item of a loop tells a person where to look. */
function concerned(item: unknown): object {
  const { id, name, runId, jobId, teamId } = item as {
    id?: string;
    name?: string;
    runId?: string;
    jobId?: string;
    teamId?: string;
  };
  return teamId === undefined ? { lane: id, lane_name: name } : { team: teamId, run: runId ?? id, job: jobId };
}
