import type { FastifyRateLimitStore } from '@fastify/rate-limit';
import { LRUCache } from 'lru-cache';
import type { Logger } from '#lib/runtime/logger';
import type { Redis } from '#lib/runtime/redis';

type Counted = Parameters<FastifyRateLimitStore['incr']>[1];

/** A Redis that is slower is left alone for a while: requests wait for their count. */
const MAX_WAIT_MS = 250;
const TRY_AGAIN_MS = 5000;
const MOST_COUNTS = 50_000;
/** A window of Redis that ends later than ours by more than this is another one. */
const SAME_WINDOW_MS = 1000;

interface Window {
  count: number;
  endsMs: number;
}

/**
 * Counts of callers for `@fastify/rate-limit`, in windows that begin with the first request: in Redis for all API
 * processes together, and in the memory of this one, which goes on alone while Redis is away or slow. So no request
 * fails, waits long or goes uncounted for Redis.
 */
export class RequestCounts implements FastifyRateLimitStore {
  /** What is known of each count. */
  readonly #windows = new LRUCache<string, Window>({ max: MOST_COUNTS });
  #isAway = false;
  #nextTryMs = 0;

  constructor(
    readonly redis: Redis,
    readonly logger: Logger,
  ) {}

  incr(key: string, counted: Counted, windowMs: number, most: number): void {
    const nowMs = Date.now();
    let window = this.#windows.get(key);
    if (!window || window.endsMs <= nowMs) {
      window = { count: 0, endsMs: nowMs + windowMs };
      this.#windows.set(key, window);
    }
    const own = ++window.count;
    const answer = (count: number): void => counted(null, { current: count, ttl: Math.max(1, window.endsMs - nowMs) });
    // Whoever is beyond the limit stays there until the window ends: Redis has nothing to add.
    if (own > most) answer(own);
    else void this.#shared(key, windowMs).then((shared) => answer(shared ? join(window, own, shared) : own));
  }

  /** Keys name their limit, so all limits share the counts. */
  child(): this {
    return this;
  }

  /** The window of all processes; undefined where Redis does not say. */
  async #shared(key: string, windowMs: number): Promise<Window | undefined> {
    if (!this.#isAway) return this.#ask(key, windowMs);
    if (Date.now() >= this.#nextTryMs) {
      this.#nextTryMs = Date.now() + TRY_AGAIN_MS;
      // Nobody waits for it.
      void this.#ask(key, windowMs);
    }
    return undefined;
  }

  async #ask(key: string, windowMs: number): Promise<Window | undefined> {
    const name = `toolmark:requests:${key}`;
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<void>((resolve) => (timer = setTimeout(resolve, MAX_WAIT_MS)));
    const asked = this.redis.multi().set(name, 0, 'PX', windowMs, 'NX').incr(name).pttl(name).exec();
    try {
      const replies = await Promise.race([asked, tooLate]);
      if (!replies) throw new Error('It does not answer in time.');
      const [count, ttl] = replies.slice(1).map(([error, reply]) => {
        if (error) throw error;
        return Number(reply);
      }) as [number, number];
      this.#isThere();
      // It expired between two of the commands.
      if (ttl < 0) this.redis.pexpire(name, windowMs).catch(() => {});
      return { count, endsMs: Date.now() + (ttl < 0 ? windowMs : ttl) };
    } catch (error) {
      this.#isGone(error as Error);
      return undefined;
    } finally {
      clearTimeout(timer);
      asked.catch(() => {});
    }
  }

  #isThere(): void {
    if (this.#isAway) this.logger.info('Callers are counted in Redis again');
    this.#isAway = false;
  }

  #isGone({ message }: Error): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#nextTryMs = Date.now() + TRY_AGAIN_MS;
    this.logger.warn({ error: message }, 'Redis does not count callers: each API process counts its own');
  }
}

/** Brings a window of this process in line with that of all. @returns the number of the request that was counted */
function join(window: Window, own: number, shared: Window): number {
  const isAnother = shared.endsMs > window.endsMs + SAME_WINDOW_MS;
  window.count = isAnother ? shared.count : Math.max(window.count, shared.count);
  window.endsMs = shared.endsMs;
  return isAnother ? shared.count : Math.max(own, shared.count);
}
