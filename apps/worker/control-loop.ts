import type { Redis } from 'ioredis';
import { busyLanes, dispatchLane, runsOf, type BusyLane, type Delivery, type LaneLimits } from '#lib/db/dispatch-lane';
import { purgeRuns } from '#lib/db/delete-run';
import { dropOldExchanges } from '#lib/db/drop-exchanges';
import { doneTargets, finishRuns, finishTarget } from '#lib/db/finish-run';
import { exclusively, type Pool } from '#lib/db/pool';
import { expireReplies } from '#lib/db/reply-cache';
import { rescoresToDo } from '#lib/db/rescore';
import { stopSpentRuns } from '#lib/db/run-budget';
import { laneLatencyMs } from '#lib/db/lane-latency';
import { reconcileLane } from '#lib/db/reconcile-lane';
import { resultsOfTarget } from '#lib/db/read-results';
import { tellWaiting } from '#lib/db/tell-waiting';
import { ring } from '#lib/events/doorbell';
import { readLaneState } from '#lib/queue/lane-budget';
import type { LaneQueues } from '#lib/queue/lanes';
import type { Logger } from '#lib/runtime/logger';
import { createSummary } from '#lib/scoring/summarise';
import type { Embedder } from './embedder.js';
import { slotsFor, type LaneWorkers } from './lane-workers.js';
import { rescorePage } from './rescore-run.js';
import type { RunCache } from './run-cache.js';
import type { ReplyScorer } from './score-reply.js';
import { crashed } from './run-item.js';
import { measureStepFailure, type LaneMeters } from './worker-metrics.js';

/** How often a step is done when nobody wakes it, and the least time between two turns: what arrives meanwhile is done together. */
const STEPS = {
  dispatch: { idleMs: 500, gapMs: 20 },
  finish: { idleMs: 1000, gapMs: 50 },
  rescore: { idleMs: 1000, gapMs: 0 },
  reconcile: { idleMs: 2000, gapMs: 2000 },
  housekeeping: { idleMs: 60_000, gapMs: 60_000 },
};
type Step = keyof typeof STEPS;
/** Those who work on the same lanes take turns to dispatch: together as often as one would alone, so that more of them ask no more. */
const MOST_TURNS = 10;
/** Until a lane has settled something, and how long what it is known to take holds. */
const UNKNOWN_LATENCY_MS = 5000;
const LATENCY_TTL_MS = 2000;
/** Who has not seen Postgres for so long was cut off, or frozen; and by when everyone who lives has renewed their leases after that. */
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
 * A lane's window: the slots that can be busy, and a little more so that none waits for the dispatcher. Whatever is queued ahead
 * of a newcomer is its extra wait, so under a limit of requests only half a second of it is queued, and no more slots are counted
 * than that rate can keep busy at twice the latency of late.
 */
function windowOf({ max_concurrency: concurrency, requests_per_minute: rpm }: LaneLimits, latencyMs = UNKNOWN_LATENCY_MS): Window {
  const ratePerS = rpm === null ? Infinity : rpm / 60;
  const busy = Math.min(concurrency, Math.max(1, Math.ceil((ratePerS * Math.max(250, 2 * latencyMs)) / 1000)));
  return { slots: slotsFor(busy), ahead: Math.max(2, Math.min(Math.ceil(ratePerS / 2), Math.ceil(concurrency / 4))) };
}

/** Whether enough of what is queued ahead is gone: handing out a few items costs nearly what handing out many does. */
const worthwhile = ({ waiting, in_flight }: BusyLane, { slots, ahead }: Window): boolean =>
  waiting && slots + ahead - in_flight >= Math.max(1, ahead / 4);

/**
 * What keeps runs going, in every worker process: dispatching, finishing, reconciling. Each step excludes its twins in other
 * processes by a lock in Postgres, and can be repeated after a crash at any line.
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

  constructor(
    readonly of: {
      pool: Pool; redis: Redis; queues: LaneQueues; workers: LaneWorkers; runs: RunCache; meters: LaneMeters; embedder: Embedder; scorer: ReplyScorer; worker: string; logger: Logger;
      /** Left out: for good. */
      keepExchangesDays: number | undefined;
    },
  ) {}

  start(): void {
    this.#repeat('dispatch', () => this.#dispatch());
    this.#repeat('finish', () => this.#finish());
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

  async #dispatch(): Promise<void> {
    const { pool, queues, workers, meters, worker } = this.of;
    const lanes = await busyLanes(pool, worker);
    this.#turns = Math.min(MOST_TURNS, Math.max(1, ...lanes.map((lane) => lane.workers)));
    for (const lane of lanes) {
      workers.serve(lane);
      if (lane.paused_at) continue;
      const window = windowOf(lane, await this.#latencyOf(lane));
      const items = window.slots + window.ahead;
      meters.of(lane).window(items);
      if (!worthwhile(lane, window)) continue;
      const deliveries = await dispatchLane(pool, lane.id, items);
      if (deliveries.length) await this.#enqueue(queues, lane.id, deliveries);
    }
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
    await queues.add(laneId, deliveries).catch((error: Error) =>
      this.of.logger.warn({ lane: laneId, runs: runsOf(deliveries), items: deliveries.length, error: error.message }, 'Items could not be queued; they will be within seconds of Redis being back'));
  }

  async #reconcile(): Promise<void> {
    const { pool, redis, queues, workers, meters, worker, logger } = this.of;
    const lanes = await busyLanes(pool, worker);
    const now = performance.now();
    if (now - this.#sawPostgresAt > OUT_OF_REACH_MS) this.#inTouchSince = now;
    this.#sawPostgresAt = now;
    const mayJudge = now - this.#inTouchSince >= RENEWED_BY_MS;
    for (const lane of lanes) {
      await exclusively(pool, `reconcile ${lane.id}`, async () => {
        for (const jobId of await tellWaiting(pool, lane, await this.#reasonToWait(lane))) await ring(redis, { topic: 'job', id: jobId });
        const { redeliver, poisoned } = await reconcileLane(pool, lane.id, worker, mayJudge, (deliveries) => queues.missing(lane.id, deliveries));
        const meter = meters.of(lane);
        const died = redeliver.filter((delivery) => delivery.crashes).length;
        meter.redelivered(redeliver.length, died);
        meter.crashed(died + poisoned.length);
        if (redeliver.length) {
          logger.info({ lane: lane.id, runs: runsOf(redeliver), items: redeliver.length }, 'Queueing items again whose queue job or process was lost');
          await this.#enqueue(queues, lane.id, redeliver);
        }
        for (const delivery of poisoned) {
          const inHand = await this.of.runs.run(delivery.runId);
          if (!inHand) continue;
          const { samples } = inHand.run.config;
          const position = inHand.run.casePositions[Math.floor(delivery.item / samples)]!;
          const settlement = crashed(delivery, position, delivery.item % samples, inHand.run.cases.get(position)!.category, delivery.crashes);
          await workers.settle(lane.id, settlement);
          meter.ended(settlement);
        }
      });
    }
  }

  /** What keeps a lane from working for longer than a moment. */
  async #reasonToWait(lane: LaneLimits): Promise<string | undefined> {
    if (lane.paused_at) return `since ${lane.paused_at.toISOString()}: the lane is paused.`;
    const state = await readLaneState(this.of.redis, lane.id).catch(() => undefined);
    if (state?.outage) return `since ${new Date(state.outage.since).toISOString()}: ${state.outage.error}`;
    if (state?.blockedUntil && state.blockedUntil > Date.now() + LONG_PAUSE_MS) return `until ${new Date(state.blockedUntil).toISOString()}: it asked for a pause.`;
    return undefined;
  }

  async #finish(): Promise<void> {
    const { pool, redis } = this.of;
    for (const { target, ...done } of await doneTargets(pool)) {
      const { runId, ordinal } = done;
      await exclusively(pool, `finish ${runId} ${ordinal}`, async () => {
        const summary = createSummary({ seed: ordinal });
        for await (const page of resultsOfTarget(pool, runId, ordinal)) {
          for (const item of page) summary.add(item);
        }
        await finishTarget(pool, done, { ...summary.finish(), target });
      });
    }
    for (const jobId of [...(await stopSpentRuns(pool)), ...(await finishRuns(pool))]) {
      await ring(redis, { topic: 'job', id: jobId });
      this.wake('dispatch'); // a job that waited for this one may have started
    }
  }

  /** A page of each, in turn, so that a large run holds up no small one. */
  async #rescore(): Promise<void> {
    const { pool, redis, logger } = this.of;
    for (const rescore of await rescoresToDo(pool)) {
      const { signal } = this.#stop;
      if (signal.aborted) return;
      await exclusively(pool, `rescore ${rescore.id}`, async () => {
        if (await rescorePage(this.of, rescore, signal)) this.wake('rescore');
        await ring(redis, { topic: 'job', id: rescore.jobId });
      }).catch((error: Error) => {
        if (!signal.aborted) logger.warn({ run: rescore.runId, rescore: rescore.id, error: error.message }, 'A page of a rescore failed; it is repeated');
      });
    }
  }

  async #keepHouse(): Promise<void> {
    const { keepExchangesDays } = this.of;
    this.of.runs.sweep();
    await exclusively(this.of.pool, 'housekeeping', async () => {
      await this.of.pool.query(`SELECT ensure_partitions(now() + interval '3 months')`);
      await this.of.pool.query(`DELETE FROM idempotency_key WHERE created_at < now() - interval '24 hours'`);
      const dropped = keepExchangesDays === undefined ? [] : await dropOldExchanges(this.of.pool, keepExchangesDays);
      if (dropped.length) this.of.logger.info({ partitions: dropped }, 'Removed raw exchanges that were kept long enough');
      while (!this.#stop.signal.aborted && (await purgeRuns(this.of.pool)));
      while (!this.#stop.signal.aborted && (await expireReplies(this.of.pool)));
    });
  }
}
