import { Worker, type Job } from 'bullmq';
import type { BusyLane } from '#lib/db/engine/busy-lanes';
import type { Delivery } from '#lib/db/engine/dispatch-lane';
import { laneBackends } from '#lib/queue/lane-backend';
import { Delivery as DeliverySchema, laneQueueName, QUEUE_PREFIX } from '#lib/queue/lane-queue';
import { MarkerWatch } from '#lib/queue/marker-watch';
import type { Logger } from '#lib/runtime/logger';
import type { Redis } from '#lib/runtime/redis';
import type { LaneMeters } from '../health/worker-metrics.js';
import type { LaneBudgets } from '../models/lane-budgets.js';
import type { DeliveryProcessor } from './process-delivery.js';
import type { ServedLane } from './served-lane.js';

/** BullMQ's workers wait forever for Redis while it is down. Postgres already knows what they would write to it. */
const MAX_CLOSE_MS = 3000;
/** The most that a worker waits for word of a job before it looks for one. */
const IDLE_POLL_S = 30;

/** The queues of a lane that this process takes deliveries from. */
interface LaneQueueWorkers {
  /** By level: during an upgrade a lane may have items of two levels, and two queues. */
  byLevel: Map<number, Worker>;
  /** Whether it is about to be given up: its items end, and no more are fetched. */
  isCeasing: boolean;
}

/**
 * The BullMQ workers of this process: one per lane with work. All of them share two connections to Redis, so that a
 * process has as many connections with one lane as with hundreds.
 */
export class LaneWorkers {
  readonly #lanes = new Map<string, LaneQueueWorkers>();
  readonly #evicting = new Set<string>();
  readonly #watch: MarkerWatch;
  readonly #backends: ReturnType<typeof laneBackends>;
  #isDraining = false;
  #isOnHold = false;

  /** The connection of all commands: they wait while Redis is down. */
  readonly #commands: Redis;

  constructor(
    readonly deps: {
      budgets: LaneBudgets;
      meters: LaneMeters;
      connect: (use: 'worker' | 'producer') => Redis;
      processor: Pick<DeliveryProcessor, 'process'>;
      logger: Logger;
    },
  ) {
    const { connect, logger } = deps;
    this.#commands = connect('worker');
    this.#watch = new MarkerWatch({ commands: this.#commands, connect: () => connect('producer'), logger });
    this.#backends = laneBackends(this.#commands, this.#watch);
  }

  /** From now on, takes up to `concurrency` deliveries at a time from a lane's queues, under the given limits. */
  serve(lane: BusyLane, concurrency: number): void {
    if (this.#isDraining) return;
    const { budgets, meters, logger } = this.deps;
    const served = { teamId: lane.team_id, meter: meters.forLane(lane), budget: budgets.forLane(lane) };
    served.meter.setSlots(concurrency);
    const ofLane = this.#lanes.get(lane.id) ?? { byLevel: new Map<number, Worker>(), isCeasing: false };
    this.#lanes.set(lane.id, ofLane);
    for (const worker of ofLane.byLevel.values())
      if (worker.concurrency !== concurrency) this.#setConcurrency(worker, concurrency);
    if (ofLane.isCeasing) {
      ofLane.isCeasing = false;
      this.#resume(ofLane);
    }
    for (const level of lane.levels.filter((one) => !ofLane.byLevel.has(one))) {
      const worker = this.#createWorker({ laneId: lane.id, level }, served, concurrency);
      if (this.#isOnHold) void worker.pause(true);
      ofLane.byLevel.set(level, worker);
      logger.info({ lane: lane.id, level, concurrency }, 'Serving a lane');
    }
  }

  #createWorker({ laneId, level }: { laneId: string; level: number }, served: ServedLane, concurrency: number): Worker {
    const { processor, logger } = this.deps;
    const worker = new Worker(
      laneQueueName(laneId, level),
      // BullMQ passes the signal only to a processor with three declared parameters. Nothing is returned, because the
      // result would be kept in Redis.
      async (job: Job, _token, _signal) => {
        await processor.process(served, DeliverySchema.parse(job.data));
      },
      {
        connection: this.#commands,
        prefix: QUEUE_PREFIX,
        concurrency,
        // The lease in Postgres determines whether an item's process died. These settings only recover jobs that were
        // never claimed, which the reconciler looks for, once for each lane.
        lockDuration: 15_000,
        skipStalledCheck: true,
        drainDelay: IDLE_POLL_S,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
        runRetryDelay: 1000,
        skipVersionCheck: true,
      },
      this.#backends,
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

  /**
   * Takes no further deliveries from a lane. Its items end, and then its queues are closed; serving it before that
   * resumes it. Other processes take what is queued.
   */
  async cease(laneId: string): Promise<void> {
    const ofLane = this.#lanes.get(laneId);
    if (!ofLane) return;
    ofLane.isCeasing = true;
    this.deps.meters.find(laneId)?.setSlots(0);
    const workers = [...ofLane.byLevel.values()];
    await Promise.all(workers.map((worker) => worker.pause()));
    if (!ofLane.isCeasing || this.#lanes.get(laneId) !== ofLane) return; // Served again, or already closed.
    this.#lanes.delete(laneId);
    await Promise.all(workers.map((worker) => worker.close()));
    this.deps.logger.info({ lane: laneId }, 'Stopped serving a lane');
  }

  /** Stops serving a lane and forgets it. It is served again when it has work. */
  async evict(laneId: string): Promise<void> {
    if (this.#evicting.has(laneId)) return;
    this.#evicting.add(laneId);
    try {
      await this.cease(laneId);
      if (this.#lanes.has(laneId)) return; // It has work again.
      this.deps.budgets.evict(laneId);
      await this.deps.meters.evict(laneId);
    } finally {
      this.#evicting.delete(laneId);
    }
  }

  /** Fetches no further deliveries until `resume`: other processes take them. Fetched ones continue. */
  hold(): void {
    this.#isOnHold = true;
    for (const worker of this.#workers()) void stopFetching(worker);
  }

  resume(): void {
    this.#isOnHold = false;
    for (const ofLane of this.#lanes.values()) this.#resume(ofLane);
  }

  /**
   * Fetches again, but not at once: a worker that was paused just now may be about to end its loop, and would not
   * begin another.
   */
  #resume(ofLane: LaneQueueWorkers): void {
    setImmediate(() => {
      if (this.#isOnHold || this.#isDraining || ofLane.isCeasing) return;
      for (const worker of ofLane.byLevel.values()) void worker.resume();
    });
  }

  /** A worker with no free slot notices a new concurrency only when an item ends, or when it is resumed. */
  #setConcurrency(worker: Worker, concurrency: number): void {
    const isMore = concurrency > worker.concurrency;
    worker.concurrency = concurrency;
    if (!isMore || worker.isPaused()) return;
    void worker.pause(true);
    void worker.resume();
  }

  /** Fetches no further deliveries. */
  async pause(): Promise<void> {
    this.#isDraining = true;
    await settledWithin(MAX_CLOSE_MS, this.#workers().map(stopFetching));
  }

  async close(): Promise<void> {
    await settledWithin(
      MAX_CLOSE_MS,
      this.#workers().map((worker) => worker.close()),
    );
    this.#watch.close();
    this.#commands.disconnect();
  }

  #workers(): Worker[] {
    return [...this.#lanes.values()].flatMap(({ byLevel }) => [...byLevel.values()]);
  }
}

/** A worker that is paused while it waits for a job would still take one. */
async function stopFetching(worker: Worker): Promise<void> {
  await Promise.all([worker.pause(true), worker.getBackend().disconnectBlocking()]);
}

async function settledWithin(ms: number, promises: Promise<unknown>[]): Promise<void> {
  const timeout = new Promise((resolve) => setTimeout(resolve, ms).unref());
  await Promise.race([Promise.allSettled(promises), timeout]);
}
