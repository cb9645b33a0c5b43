import { Queue } from 'bullmq';
import { z } from 'zod';
import { FIRST_WORKER_LEVEL } from '#lib/contracts/worker-level';
import type { Redis } from '#lib/runtime/redis';

/**
 * The payload of a queue job: the item to play, and the token that lets this delivery settle it. Only ids; the rest is
 * in Postgres.
 */
export const Delivery = z.object({ runId: z.uuid(), target: z.int(), item: z.int(), token: z.int() });
export type Delivery = z.infer<typeof Delivery>;

export const QUEUE_PREFIX = 'toolmark';

/**
 * One queue per lane and level of workers, so that no worker takes items it cannot play; the first level keeps the
 * queue name from before there were levels. The braces keep all keys of a lane in one slot of a Redis Cluster.
 */
export const laneQueueName = (laneId: string, level: number): string =>
  level === FIRST_WORKER_LEVEL ? `{lane-${laneId}}` : `{lane-${laneId}}-${level}`;

/** A delivery and the level that a worker needs for it. */
export interface LeveledDelivery extends Delivery {
  level: number;
}

/** Tokens are never reused, so neither are job ids. BullMQ rejects ids of digits only and ids with a ":". */
const jobIdOf = (delivery: Pick<Delivery, 'token'>): string => `d${delivery.token}`;

/** BullMQ adds a batch in one transaction, which blocks Redis until it ends. */
const MAX_ADD = 500;

/** Postgres counts how often an item was lost, so that the queue does not. */
const STALLED = { stalledInterval: 5000, maxStalledCount: 1_000_000 };

/** The producer's side of the queues of all lanes, over one Redis connection. */
export class LaneQueues {
  /** By lane, then by level. */
  readonly #queues = new Map<string, Map<number, Queue>>();

  /** @param redis a connection that fails at once while Redis is down */
  constructor(readonly redis: Redis) {}

  #queue(laneId: string, level: number): Queue {
    const queues = this.#queues.get(laneId) ?? new Map<number, Queue>();
    this.#queues.set(laneId, queues);
    let queue = queues.get(level);
    if (!queue) {
      queue = new Queue(laneQueueName(laneId, level), {
        connection: this.redis,
        prefix: QUEUE_PREFIX,
        skipVersionCheck: true,
        // Postgres owns attempts and results: a queue job is a note, discarded once read.
        defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
        streams: { events: { maxLen: 500 } },
        ...STALLED,
      });
      queue.on('error', () => {}); // The connection logs its own errors.
      queues.set(level, queue);
    }
    return queue;
  }

  /** Closes a lane's queues in this process. Their contents stay in Redis. */
  async evict(laneId: string): Promise<void> {
    const queues = [...(this.#queues.get(laneId)?.values() ?? [])];
    this.#queues.delete(laneId);
    await Promise.all(queues.map((queue) => queue.close()));
  }

  /** Adding a delivery a second time changes nothing. @throws when Redis cannot be reached */
  async add(laneId: string, deliveries: readonly LeveledDelivery[]): Promise<void> {
    for (const [level, ofLevel] of Map.groupBy(deliveries, (delivery) => delivery.level)) {
      const jobs = ofLevel.map(({ runId, target, item, token }) => {
        const data: Delivery = { runId, target, item, token };
        return { name: 'item', data, opts: { jobId: jobIdOf(data) } };
      });
      for (let from = 0; from < jobs.length; from += MAX_ADD)
        await this.#queue(laneId, level).addBulk(jobs.slice(from, from + MAX_ADD));
    }
  }

  /**
   * Returns the jobs to the queue that a process took and then died, before or after it claimed their items. Redis
   * looks for them once in some seconds, however often it is asked. @throws when Redis cannot be reached
   */
  async returnStalled(laneId: string, levels: readonly number[]): Promise<void> {
    for (const level of levels) await this.#queue(laneId, level).getBackend().moveStalledJobsToWait();
  }

  /**
   * The deliveries that have no job in the queue, neither waiting nor active, and those whose job a process holds.
   * @throws when Redis cannot be reached
   */
  async findJobs(
    laneId: string,
    deliveries: readonly LeveledDelivery[],
  ): Promise<{ missing: LeveledDelivery[]; taken: LeveledDelivery[] }> {
    const pipeline = this.redis.pipeline();
    for (const delivery of deliveries) {
      const key = this.#queue(laneId, delivery.level).toKey(jobIdOf(delivery));
      pipeline.exists(key).exists(`${key}:lock`);
    }
    const replies = (await pipeline.exec()) ?? [];
    const exists = (index: number): boolean => {
      const [error, count] = replies[index] ?? [new Error('no reply')];
      if (error) throw error;
      return count === 1;
    };
    const missing = deliveries.filter((_delivery, index) => !exists(2 * index));
    return { missing, taken: deliveries.filter((_delivery, index) => exists(2 * index + 1)) };
  }
}
