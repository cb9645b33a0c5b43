import type { FastifyRateLimitStore } from '@fastify/rate-limit';
import { LRUCache } from 'lru-cache';
import type { Logger } from '#lib/runtime/logger';
import type { Redis } from '#lib/runtime/redis';

type Counted = Parameters<FastifyRateLimitStore['incr']>[1];

/** A Redis that is slower is left alone for a while: requests wait for their count. */
const MAX_WAIT_MS = 250;
const TRY_AGAIN_MS = 5000;
const MOST_COUNTS = 50_000;

/**
 * Counts of callers for `@fastify/rate-limit`, in windows of the clock: in Redis for all API processes together, and in
 * the memory of this one, which goes on alone while Redis is away or slow. So no request fails, waits long or goes
 * uncounted for Redis.
 */
export class RequestCounts implements FastifyRateLimitStore {
  /** What is known of each count. */
  readonly #known = new LRUCache<string, number>({ max: MOST_COUNTS });
  #isAway = false;
  #nextTryMs = 0;

  constructor(
    readonly redis: Redis,
    readonly logger: Logger,
  ) {}

  incr(key: string, counted: Counted, windowMs: number, most: number): void {
    const nowMs = Date.now();
    const window = Math.floor(nowMs / windowMs);
    const name = `toolmark:requests:${key}:${window}`;
    const ttl = (window + 1) * windowMs - nowMs;
    const own = this.#countOf(name) + 1;
    this.#note(name, own);
    // Whoever is beyond the limit stays there until the window ends: Redis has nothing to add.
    if (own > most) return counted(null, { current: own, ttl });
    void this.#shared(name, windowMs).then((shared) => {
      this.#note(name, shared);
      counted(null, { current: Math.max(own, shared), ttl });
    });
  }

  /** Keys name their limit, so all limits share the counts. */
  child(): this {
    return this;
  }

  #countOf = (name: string): number => this.#known.get(name) ?? 0;

  #note(name: string, count: number): void {
    if (count > this.#countOf(name)) this.#known.set(name, count);
  }

  /** The count of all processes; 0 where Redis does not say. */
  async #shared(name: string, windowMs: number): Promise<number> {
    if (!this.#isAway) return this.#ask(name, windowMs);
    if (Date.now() >= this.#nextTryMs) {
      this.#nextTryMs = Date.now() + TRY_AGAIN_MS;
      // Nobody waits for it.
      void this.#ask(name, windowMs);
    }
    return 0;
  }

  async #ask(name: string, windowMs: number): Promise<number> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<void>((resolve) => (timer = setTimeout(resolve, MAX_WAIT_MS)));
    const asked = this.redis
      .pipeline()
      .incr(name)
      .pexpire(name, 2 * windowMs)
      .exec();
    try {
      const [error, count] = (await Promise.race([asked, tooLate]))?.[0] ?? [new Error('It does not answer in time.')];
      if (error) throw error;
      this.#isThere();
      return Number(count);
    } catch (error) {
      this.#isGone(error as Error);
      return 0;
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
