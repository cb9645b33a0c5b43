import { withLease } from '#lib/db/connection/lease';
import type { Pool } from '#lib/db/connection/pool';
import type { BusyLane } from '#lib/db/engine/busy-lanes';
import { distinctRunIds, type LeveledDelivery } from '#lib/db/engine/dispatch-lane';
import { reconcileLane, type Reconciled } from '#lib/db/engine/reconcile-lane';
import { setWaitReason } from '#lib/db/engine/set-wait-reason';
import { findPlace } from '#lib/db/read/for-workers/load-run';
import { notify } from '#lib/events/notifications';
import type { LaneQueues } from '#lib/queue/lane-queue';
import type { Logger } from '#lib/runtime/logger';
import type { Redis } from '#lib/runtime/redis';
import type { LaneMeters } from '../health/worker-metrics.js';
import { crashedSettlement } from '../items/error-settlements.js';
import type { Settler } from '../items/settle.js';
import { enqueue } from './enqueue.js';
import { findWaitReason } from './wait-reason.js';

/** A process that has not reached Postgres for three turns of this step was cut off, or frozen. */
const OUT_OF_REACH_MS = 6000;
/** This long after an outage, every live worker has renewed its leases. */
const RENEWED_WITHIN_MS = 5000;

/**
 * Whether an expired lease means that its worker died. It does not shortly after this process was cut off from
 * Postgres: other workers may have been cut off too, and could not renew their leases.
 */
export class PostgresContact {
  #lastSeenAt = -Infinity;
  #inContactSince = 0;

  /** Call it after each response from Postgres. */
  isSteady(): boolean {
    const now = performance.now();
    if (now - this.#lastSeenAt > OUT_OF_REACH_MS) this.#inContactSince = now;
    this.#lastSeenAt = now;
    return now - this.#inContactSince >= RENEWED_WITHIN_MS;
  }
}

/**
 * A worker that holds an item's queue job at so many turns in a row, and has not claimed the item, is cut off from
 * Postgres. It has asked nobody: a claim comes first.
 */
const MAX_UNCLAIMED_TURNS = 5;

/** Requeues the items of a lane whose queue job or worker was lost, and shows what the lane waits for. */
export class Reconciler {
  /** By lane: the tokens of unclaimed items whose queue jobs are held, and at how many turns in a row they were. */
  readonly #unclaimed = new Map<string, Map<number, number>>();

  constructor(
    readonly deps: {
      pool: Pool;
      locks: Pool;
      redis: Redis;
      queues: LaneQueues;
      settler: Settler;
      meters: LaneMeters;
      workerId: string;
      logger: Logger;
    },
  ) {}

  async reconcile(lane: BusyLane, mayJudgeLeases: boolean): Promise<void> {
    await withLease(this.deps.locks, `reconcile ${lane.id}`, () => this.#reconcile(lane, mayJudgeLeases));
  }

  async #reconcile(lane: BusyLane, mayJudgeLeases: boolean): Promise<void> {
    const { pool, redis, queues, workerId } = this.deps;
    for (const jobId of await setWaitReason(pool, lane, await findWaitReason(redis, lane)))
      await notify(redis, { topic: 'job', id: jobId });
    await queues.returnStalled(lane.id, lane.levels);
    const before = this.#unclaimed.get(lane.id);
    this.#unclaimed.delete(lane.id);
    const { redeliver, poisoned } = await reconcileLane(pool, lane.id, workerId, mayJudgeLeases, (deliveries) =>
      this.#findLost(lane.id, deliveries, before),
    );
    await this.#redeliver(lane, redeliver, poisoned.length);
    for (const delivery of poisoned) await this.#settleCrashed(lane, delivery);
  }

  /** The deliveries without a queue job, and those whose queue job is held by a worker that does not claim them. */
  async #findLost(
    laneId: string,
    deliveries: LeveledDelivery[],
    before: ReadonlyMap<number, number> | undefined,
  ): Promise<LeveledDelivery[]> {
    const { missing, taken } = await this.deps.queues.findJobs(laneId, deliveries);
    const turns = new Map(taken.map(({ token }) => [token, (before?.get(token) ?? 0) + 1]));
    if (turns.size > 0) this.#unclaimed.set(laneId, turns);
    return [...missing, ...taken.filter(({ token }) => turns.get(token)! >= MAX_UNCLAIMED_TURNS)];
  }

  async #redeliver(lane: BusyLane, deliveries: Reconciled['redeliver'], poisoned: number): Promise<void> {
    const { meters, logger } = this.deps;
    const meter = meters.forLane(lane);
    const died = deliveries.filter((delivery) => delivery.lost).length;
    meter.recordRedeliveries(deliveries.length, died);
    meter.recordCrashes(died + poisoned);
    if (deliveries.length === 0) return;
    logger.info(
      { lane: lane.id, runs: distinctRunIds(deliveries), items: deliveries.length },
      'Requeueing items whose queue job or process was lost',
    );
    await enqueue(this.deps, lane.id, deliveries);
  }

  async #settleCrashed(lane: BusyLane, { crashes, ...delivery }: Reconciled['poisoned'][number]): Promise<void> {
    const { pool, settler, meters } = this.deps;
    const place = await findPlace(pool, delivery);
    if (!place) return;
    const settlement = crashedSettlement({ delivery, ...place }, crashes);
    if (await settler.settle(lane.team_id, settlement)) meters.forLane(lane).recordResult(settlement);
  }
}
