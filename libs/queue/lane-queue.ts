import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { z } from 'zod';

/**
 * What a queue job carries: which item to play, and the token that lets this delivery settle it. Only ids; the rest
 * is in Postgres.
 */
export const Delivery = z.object({ runId: z.uuid(), target: z.int(), item: z.int(), token: z.int() });
export type Delivery = z.infer<typeof Delivery>;

export const QUEUE_PREFIX = 'toolmark';

/** One queue per lane. The braces keep all its keys in one slot of a Redis Cluster. */
export const laneQueueName = (laneId: string): string => `{lane-${laneId}}`;

/** Tokens are never reused, so neither are job ids. BullMQ refuses ids of digits alone and ids with a ":". */
export const jobIdOf = (delivery: Pick<Delivery, 'token'>): string => `d${delivery.token}`;

/** BullMQ adds a batch in one transaction, which blocks Redis until it ends. */
const MAX_ADD = 500;

/** The producer's side of the queues of all lanes, over one Redis connection. */
export class LaneQueues {
  readonly #queues = new Map<string, Queue>();

  /** @param redis a connection that fails at once while Redis is down */
  constructor(readonly redis: Redis) {}

  #queue(laneId: string): Queue {
    let queue = this.#queues.get(laneId);
    if (!queue) {
      queue = new Queue(laneQueueName(laneId), {
        connection: this.redis,
        prefix: QUEUE_PREFIX,
        skipVersionCheck: true,
        // Postgres owns attempts and results: a queue job is a note, thrown away once it was read.
        defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
        streams: { events: { maxLen: 500 } },
      });
      queue.on('error', () => {}); // The connection logs its own errors.
      this.#queues.set(laneId, queue);
    }
    return queue;
  }

  /** Closes a lane's queue here. What is in it stays in Redis. */
  async evict(laneId: string): Promise<void> {
    const queue = this.#queues.get(laneId);
    this.#queues.delete(laneId);
    await queue?.close();
  }

  /** Adding a delivery a second time changes nothing. @throws when Redis cannot be reached */
  async add(laneId: string, deliveries: readonly Delivery[]): Promise<void> {
    for (let from = 0; from < deliveries.length; from += MAX_ADD) {
      await this.#queue(laneId).addBulk(
        deliveries
          .slice(from, from + MAX_ADD)
          .map((delivery) => ({ name: 'item', data: delivery, opts: { jobId: jobIdOf(delivery) } })),
      );
    }
  }

  /** The deliveries that have no job in the queue, neither waiting nor active. */
  async findMissing(laneId: string, deliveries: readonly Delivery[]): Promise<Delivery[]> {
    const queue = this.#queue(laneId);
    const pipeline = this.redis.pipeline();
    for (const delivery of deliveries) pipeline.exists(queue.toKey(jobIdOf(delivery)));
    const replies = (await pipeline.exec()) ?? [];
    return deliveries.filter((_delivery, index) => {
      const [error, exists] = replies[index] ?? [new Error('no reply')];
      if (error) throw error;
      return exists === 0;
    });
  }
}
