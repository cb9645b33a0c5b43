import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { z } from 'zod';

/**
 * What a queue job carries: which item, and the token that lets its delivery settle it. Ids only; Postgres has the
 * rest.
 */
export const Delivery = z.object({ runId: z.uuid(), target: z.int(), item: z.int(), token: z.int() });
export type Delivery = z.infer<typeof Delivery>;

export const QUEUE_PREFIX = 'toolmark';

/** One queue per lane. The braces keep all its keys in one slot of a Redis Cluster. */
export const laneQueueName = (laneId: string): string => `{lane-${laneId}}`;

/** Tokens are never reused, so neither are job ids; not digits alone and no ":", which BullMQ refuses. */
export const jobIdOf = (delivery: Pick<Delivery, 'token'>): string => `d${delivery.token}`;

/** BullMQ sends a batch as one transaction, which blocks Redis for its whole length. */
const LARGEST_ADD = 500;

/** The producer's side of all lanes' queues over one Redis connection. */
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
        // Postgres owns attempts and results: a queue job is a note that is thrown away when it was read.
        defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
        streams: { events: { maxLen: 500 } },
      });
      queue.on('error', () => {}); // the connection logs its own troubles
      this.#queues.set(laneId, queue);
    }
    return queue;
  }

  /** Forgets a lane; what is in its queue stays there. */
  async evict(laneId: string): Promise<void> {
    const queue = this.#queues.get(laneId);
    this.#queues.delete(laneId);
    await queue?.close();
  }

  /** Adding a delivery that is queued already changes nothing. Throws when Redis cannot be reached. */
  async add(laneId: string, deliveries: readonly Delivery[]): Promise<void> {
    for (let from = 0; from < deliveries.length; from += LARGEST_ADD) {
      await this.#queue(laneId).addBulk(
        deliveries
          .slice(from, from + LARGEST_ADD)
          .map((delivery) => ({ name: 'item', data: delivery, opts: { jobId: jobIdOf(delivery) } })),
      );
    }
  }

  /** Which of these have no job in the queue, waiting or active. */
  async findMissing(laneId: string, deliveries: readonly Delivery[]): Promise<Delivery[]> {
    const queue = this.#queue(laneId);
    const pipeline = this.redis.pipeline();
    for (const delivery of deliveries) pipeline.exists(queue.toKey(jobIdOf(delivery)));
    const answers = (await pipeline.exec()) ?? [];
    return deliveries.filter((_delivery, index) => {
      const [error, exists] = answers[index] ?? [new Error('no answer')];
      if (error) throw error;
      return exists === 0;
    });
  }
}
