import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Redis } from '#lib/runtime/redis';

/** How many requests of a shape the fleet makes per window until the model has answered one. */
const MAX_FIRST_REQUESTS = 5;
const WINDOW_MS = 2000;
/** Long enough for every worker to learn what was refused. */
const REFUSED_FOR_MS = 5000;
const REFUSED = 2 ** 40;
const ANSWERED_FOR_S = 24 * 60 * 60;
const LOOK_AGAIN_MS = 100;
const MAX_REMEMBERED = 20_000;
/** So far below zero that counting up never ends it. */
const ANSWERED = -REFUSED;

/**
 * Sends a few requests first when a model has not answered any of their shape: it may refuse a setting that all of them
 * have, and the first refusals teach what to change. Hosts refuse within milliseconds, so after two seconds more
 * requests may join those that are answered slowly.
 */
export class FirstRequests {
  readonly #answered = new LRUCache<string, true>({ max: MAX_REMEMBERED });

  constructor(readonly redis: Redis) {}

  isAnswered(shape: string): boolean {
    return this.#answered.has(shape);
  }

  /**
   * @returns whether to ask now; false after a short delay
   * @throws the signal's reason when it aborts
   */
  async mayAsk(shape: string, signal: AbortSignal): Promise<boolean> {
    const key = keyOf(shape);
    const counted = await this.redis
      .multi()
      .set(key, 0, 'PX', WINDOW_MS, 'NX')
      .incr(key)
      .exec()
      .catch(() => null);
    const n = Number(counted?.[1]?.[1] ?? 0);
    if (n < 0) this.#answered.set(shape, true);
    if (n <= MAX_FIRST_REQUESTS) return true;
    await delay(LOOK_AGAIN_MS * (0.5 + Math.random()), undefined, { signal }).catch(() => signal.throwIfAborted());
    return false;
  }

  /** The model refused a request of this shape. Others of the shape wait until they are adapted to what was learned. */
  refused(shape: string): void {
    this.#answered.delete(shape);
    void this.redis.set(keyOf(shape), REFUSED, 'PX', REFUSED_FOR_MS).catch(() => {});
  }

  /** The model accepted a request of this shape, or refused it for a reason that does not concern other requests. */
  answered(shape: string): void {
    if (this.#answered.has(shape)) return;
    this.#answered.set(shape, true);
    void this.redis.set(keyOf(shape), ANSWERED, 'EX', ANSWERED_FOR_S).catch(() => {});
  }
}

const keyOf = (shape: string): string => `toolmark:first-requests:${shape}`;
