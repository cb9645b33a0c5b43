import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { z } from 'zod';

/**
 * What a queue job carries: which item, and the token that lets this delivery settle it. It carries ids only; Postgres
 * has the rest.
 */
export const Delivery = z.object({ runId: z.uuid(), target: z.int(), item: z.int(), token: z.int() });
export type Delivery = z.infer<typeof Delivery>;

export const QUEUE_PREFIX = 'toolmark';

/** The name of a lane's queue. The braces keep all its keys in one slot of a Redis Cluster. */
export const laneQueue = (laneId: string): string => `{lane-${laneId}}`;

/** Tokens are never reused, so neither are job ids. BullMQ refuses ids of digits alone, and ids with a ":". */
export const jobIdOf = (delivery: Pick<Delivery, 'token'>): string => `d${delivery.token}`;

/** BullMQ sends a batch as one transaction, which blocks Redis until it is done. */
const MAX_ADD_BATCH = 500;

/** The producer's side of all lane queues, over one connection to Redis. */
export class LaneQueues {
  readonly #queues = new Map<string, Queue>();

  /** @param redis a connection that fails at once while Redis is down */
  constructor(readonly redis: Redis) {}

  #queue(laneId: string): Queue {
    let queue = this.#queues.get(laneId);
    if (!queue) {
      queue = new Queue(laneQueue(laneId), {
        connection: this.redis,
        prefix: QUEUE_PREFIX,
        skipVersionCheck: true,
        // Postgres owns attempts and results. A queue job is removed once it was read.
        defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
        streams: { events: { maxLen: 500 } },
      });
      queue.on('error', () => {}); // The connection logs its own errors.
      this.#queues.set(laneId, queue);
    }
    return queue;
  }

  /** Closes the queue of a lane here. Its jobs stay in Redis. */
  async evict(laneId: string): Promise<void> {
    const queue = this.#queues.get(laneId);
    this.#queues.delete(laneId);
    await queue?.close();
  }

  /** Adding a delivery that is queued already changes nothing. @throws when Redis cannot be reached */
  async add(laneId: string, deliveries: readonly Delivery[]): Promise<void> {
    for (let from = 0; from < deliveries.length; from += MAX_ADD_BATCH) {
      await this.#queue(laneId).addBulk(
        deliveries
          .slice(from, from + MAX_ADD_BATCH)
          .map((delivery) => ({ name: 'item', data: delivery, opts: { jobId: jobIdOf(delivery) } })),
      );
    }
  }

  /** Those of the deliveries that have no job in the queue, waiting or active. */
  async missing(laneId: string, deliveries: readonly Delivery[]): Promise<Delivery[]> {
    const queue = this.#queue(laneId);
    const pipeline = this.redis.pipeline();
    for (const delivery of deliveries) pipeline.exists(queue.toKey(jobIdOf(delivery)));
    const results = (await pipeline.exec()) ?? [];
    return deliveries.filter((_delivery, index) => {
      const [error, exists] = results[index] ?? [new Error('Redis did not answer')];
      if (error) throw error;
      return exists === 0;
    });
  }
}
