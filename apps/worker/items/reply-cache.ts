import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { retryTransient, type Pool } from '#lib/db/connection/pool';
import { findCachedReplies, cacheReplies, type CachedReply, type CacheKey } from '#lib/db/engine/reply-cache';
import type { Settlement } from '#lib/db/engine/settle-items';
import type { Logger } from '#lib/runtime/logger';
import { KeyedMicroBatcher } from './micro-batch.js';

/** Who asks for a reply holds its key for so long without a sign of life. */
const LEASE_MS = 9000;

/** The right to ask for a reply that nobody else in the fleet asks for meanwhile. */
export interface Asking {
  /** Notes where the reply is stored now. */
  keep(settlement: Settlement): Promise<void>;
  /** Lets others ask. */
  giveUp(): void;
}

/**
 * Answers requests that were made before from the stored replies. Whoever is first to make a request holds its key
 * in Redis meanwhile; others wait for what comes of it, so that two runs that ask the same at once pay once.
 */
export class ReplyCache {
  readonly #lookups: KeyedMicroBatcher<CacheKey, CachedReply | undefined>;
  readonly #kept: KeyedMicroBatcher<CacheKey & { settlement: Settlement }, undefined>;
  readonly #asking = new Map<string, string>();
  readonly #renewal: NodeJS.Timeout;

  constructor(readonly of: { pool: Pool; redis: Redis; logger: Logger }) {
    this.#lookups = new KeyedMicroBatcher((keys) => retryTransient(() => findCachedReplies(of.pool, keys)), {
      waitMs: 2,
      largest: 200,
      concurrency: 2,
    });
    this.#kept = new KeyedMicroBatcher(
      async (entries) => (await retryTransient(() => cacheReplies(of.pool, entries)), entries.map(() => undefined)),
      { waitMs: 10, largest: 200, concurrency: 1 },
    );
    this.#renewal = setInterval(() => {
      for (const name of this.#asking.keys()) void of.redis.pexpire(name, LEASE_MS).catch(() => {});
    }, LEASE_MS / 3).unref();
  }

  /**
   * The stored reply, or the right to ask for it.
   * @param refresh asks anew, whatever is stored
   * @throws the signal's reason when it aborts
   */
  async find(
    wanted: CacheKey & { laneId: string },
    refresh: boolean,
    signal: AbortSignal,
  ): Promise<CachedReply | Asking> {
    if (refresh) return this.#ask(wanted, undefined);
    const name = `toolmark:asking:${wanted.teamId}:${wanted.key.toString('base64url')}`;
    for (let waitMs = 25; ; waitMs = Math.min(waitMs * 2, 500)) {
      const mine = randomUUID();
      // Without Redis no request is made at all, so it cannot be made twice either.
      const free = await this.of.redis.set(name, mine, 'PX', LEASE_MS, 'NX').catch(() => 'OK');
      if (free) this.#asking.set(name, mine);
      // After the key was taken: what its last holder stored is there.
      const stored = await this.#lookups.add(wanted.teamId, wanted).catch((error: unknown) => {
        if (free) this.#release(name);
        throw error;
      });
      if (stored) {
        if (free) this.#release(name);
        return stored;
      }
      if (free) return this.#ask(wanted, name);
      await delay(waitMs, undefined, { signal }).catch(() => {
        throw signal.reason as Error;
      });
    }
  }

  #ask(wanted: CacheKey & { laneId: string }, name: string | undefined): Asking {
    return {
      keep: async (settlement) => {
        await this.#kept
          .add(wanted.teamId, { ...wanted, settlement })
          .catch((error: Error) =>
            this.of.logger.warn(
              { run: settlement.delivery.runId, lane: wanted.laneId, error: error.message },
              'A reply could not be noted in the cache',
            ),
          );
        if (name) this.#release(name);
      },
      giveUp: () => {
        if (name) this.#release(name);
      },
    };
  }

  #release(name: string): void {
    const mine = this.#asking.get(name);
    if (mine === undefined || !this.#asking.delete(name)) return;
    // Only what is still ours: another may have taken the key when this process was frozen.
    void this.of.redis
      .eval(`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end`, 1, name, mine)
      .catch(() => {});
  }

  close(): void {
    clearInterval(this.#renewal);
  }
}
