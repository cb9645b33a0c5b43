import { Worker, type Job } from 'bullmq';
import type { BusyLane } from '#lib/db/engine/busy-lanes';
import type { Delivery } from '#lib/db/engine/dispatch-lane';
import { Delivery as DeliverySchema, laneQueueName, QUEUE_PREFIX } from '#lib/queue/lane-queue';
import type { Logger } from '#lib/runtime/logger';
import type { Redis } from '#lib/runtime/redis';
import type { LaneMeters } from '../health/worker-metrics.js';
import type { LaneBudgets } from '../models/lane-budgets.js';
import type { DeliveryProcessor } from './process-delivery.js';
import type { ServedLane } from './served-lane.js';

/** BullMQ's workers wait forever for Redis while it is down. Postgres already knows what they would write to it. */
const MAX_CLOSE_MS = 3000;

interface LaneWorker {
  worker: Worker;
  connection: Redis;
}

/**
 * The BullMQ workers of this process: one per lane with work, each with its own connection. During an upgrade a lane
 * may have items of two levels, and two queues.
 */
export class LaneWorkers {
  /** By lane, then by level. */
  readonly #lanes = new Map<string, Map<number, LaneWorker>>();
  readonly #closing = new Set<string>();
  #isDraining = false;
  #isOnHold = false;

  constructor(
    readonly deps: {
      budgets: LaneBudgets;
      meters: LaneMeters;
      connect: () => Redis;
      processor: Pick<DeliveryProcessor, 'process'>;
      logger: Logger;
    },
  ) {}

  /** From now on, takes up to `concurrency` deliveries at a time from a lane's queues, under the given limits. */
  serve(lane: BusyLane, concurrency: number): void {
    if (this.#isDraining) return;
    const { budgets, meters, connect, logger } = this.deps;
    const served = { teamId: lane.team_id, meter: meters.forLane(lane), budget: budgets.forLane(lane) };
    served.meter.setSlots(concurrency);
    const ofLane = this.#lanes.get(lane.id) ?? new Map<number, LaneWorker>();
    this.#lanes.set(lane.id, ofLane);
    for (const { worker } of ofLane.values())
      if (worker.concurrency !== concurrency) this.#setConcurrency(worker, concurrency);
    for (const level of lane.levels.filter((one) => !ofLane.has(one))) {
      const connection = connect();
      const worker = this.#createWorker({ laneId: lane.id, level }, served, connection, concurrency);
      if (this.#isOnHold) void worker.pause(true);
      ofLane.set(level, { worker, connection });
      logger.info({ lane: lane.id, level, concurrency }, 'Serving a lane');
    }
  }

  #createWorker(
    { laneId, level }: { laneId: string; level: number },
    served: ServedLane,
    connection: Redis,
    concurrency: number,
  ): Worker {
    const { processor, logger } = this.deps;
    const worker = new Worker(
      laneQueueName(laneId, level),
      // BullMQ passes the signal only to a processor with three declared parameters. Nothing is returned, because the
      // result would be kept in Redis.
      async (job: Job, _token, _signal) => {
        await processor.process(served, DeliverySchema.parse(job.data));
      },
      {
        connection,
        prefix: QUEUE_PREFIX,
        concurrency,
        // The lease in Postgres determines whether an item's process died. These settings only recover jobs that were
        // never claimed.
        lockDuration: 15_000,
        stalledInterval: 5000,
        maxStalledCount: 1000,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
        runRetryDelay: 1000,
        skipVersionCheck: true,
      },
    );
    worker.on('error', (error) => logger.debug({ lane: laneId, error: error.message }, 'The queue reported an error'));
    worker.on('failed', (job, error) => {
      const delivery = job?.data as Delivery | undefined;
      logger.error(
        { lane: laneId, run: delivery?.runId, delivery, error: error.message, stack: error.stack },
        'An item could not be settled; it will be delivered again',
      );
    });
    return worker;
  }

  /** Stops serving a lane and forgets it. It is served again when it has work. */
  async evict(laneId: string): Promise<void> {
    if (this.#closing.has(laneId)) return;
    this.#closing.add(laneId);
    try {
      const ofLane = [...(this.#lanes.get(laneId)?.values() ?? [])];
      this.#lanes.delete(laneId);
      await Promise.all(ofLane.map(({ worker }) => worker.close()));
      for (const { connection } of ofLane) connection.disconnect();
      if (this.#lanes.has(laneId)) return; // It has work again.
      this.deps.budgets.evict(laneId);
      await this.deps.meters.evict(laneId);
      this.deps.logger.info({ lane: laneId }, 'Stopped serving a lane');
    } finally {
      this.#closing.delete(laneId);
    }
  }

  /** Fetches no further deliveries until `resume`: other processes take them. Fetched ones continue. */
  hold(): void {
    this.#isOnHold = true;
    for (const worker of this.#workers()) void worker.pause(true);
  }

  resume(): void {
    this.#isOnHold = false;
    if (!this.#isDraining) for (const worker of this.#workers()) void worker.resume();
  }

  /** A worker with no free slot notices a new concurrency only when an item ends, or when it is resumed. */
  #setConcurrency(worker: Worker, concurrency: number): void {
    const isMore = concurrency > worker.concurrency;
    worker.concurrency = concurrency;
    if (isMore && !this.#isOnHold) void worker.pause(true).then(() => (this.#isOnHold ? undefined : worker.resume()));
  }

  /** Fetches no further deliveries. */
  async pause(): Promise<void> {
    this.#isDraining = true;
    await settledWithin(
      MAX_CLOSE_MS,
      this.#workers().map((worker) => worker.pause(true)),
    );
  }

  async close(): Promise<void> {
    await settledWithin(
      MAX_CLOSE_MS,
      this.#workers().map((worker) => worker.close()),
    );
  }

  #workers(): Worker[] {
    return [...this.#lanes.values()].flatMap((ofLane) => [...ofLane.values()].map(({ worker }) => worker));
  }
}

async function settledWithin(ms: number, promises: Promise<unknown>[]): Promise<void> {
  const timeout = new Promise((resolve) => setTimeout(resolve, ms).unref());
  await Promise.race([Promise.allSettled(promises), timeout]);
}
