import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { retryTransient, type Pool } from '#lib/db/connection/pool';
import { findCachedReplies, cacheReplies, type CachedReply, type CacheKey } from '#lib/db/engine/reply-cache';
import type { Settlement } from '#lib/db/engine/settle-items';
import type { Logger } from '#lib/runtime/logger';
import { KeyedMicroBatcher } from '#lib/runtime/micro-batch';
import type { Redis } from '#lib/runtime/redis';

// When is the cache used?
// - The run's `cache` setting decides. `off`: never. `use`: an item asks the model only if there is no stored reply to
//   the same request. `refresh`: every item asks the model, and its reply is stored. The default is set in
//   libs/contracts/cache-policy.ts when a run is submitted.
// - "The same request" is the key of libs/providers/request-key.ts: provider, address, format, body, sample and, for a
//   chain, everything its later requests depend on. It belongs to one team, and expires according to the team's
//   settings.
// - An item stores its reply if it was scored and settled, and the model was not rerouted to another address in the
//   meantime. The cache stores a reference to the item's exchange (run-item.ts).

/** How long a reservation lasts without a renewal by its holder. */
const RESERVATION_MS = 9000;

/** The exclusive right, across the fleet, to make a request. */
export interface Reservation {
  /**
   * Stores the location of the reply, and ends the reservation.
   * @param key of the request that was answered: the model may have refused the reserved one
   */
  store(settlement: Settlement, key: Buffer): Promise<void>;
  /** Ends the reservation without a reply, so that others may ask. */
  release(): void;
}

/**
 * Finds stored replies to earlier requests. The first process to make a request reserves its key in Redis, and others
 * wait for the result, so that two runs with the same request at the same time pay once.
 */
export class ReplyCache {
  readonly #lookups: KeyedMicroBatcher<CacheKey, CachedReply | undefined>;
  readonly #stores: KeyedMicroBatcher<CacheKey & { settlement: Settlement }, undefined>;
  /** Reserved keys in Redis, with the values that identify our reservations. */
  readonly #reserved = new Map<string, string>();
  readonly #renewal: NodeJS.Timeout;

  constructor(readonly deps: { pool: Pool; redis: Redis; logger: Logger }) {
    const { pool, redis } = deps;
    this.#lookups = new KeyedMicroBatcher((keys) => retryTransient(() => findCachedReplies(pool, keys)), {
      waitMs: 2,
      maxSize: 200,
      concurrency: 2,
    });
    this.#stores = new KeyedMicroBatcher(
      async (entries) => (await retryTransient(() => cacheReplies(pool, entries)), entries.map(() => undefined)),
      { waitMs: 10, maxSize: 200, concurrency: 1 },
    );
    this.#renewal = setInterval(() => {
      for (const name of this.#reserved.keys()) void redis.pexpire(name, RESERVATION_MS).catch(() => {});
    }, RESERVATION_MS / 3).unref();
  }

  /**
   * The stored reply, or the right to make the request.
   * @param refresh reserve even if a reply is stored
   * @throws the signal's reason when it aborts
   */
  async findOrReserve(
    wanted: CacheKey & { laneId: string },
    refresh: boolean,
    signal: AbortSignal,
  ): Promise<CachedReply | Reservation> {
    if (refresh) return this.#reservation(wanted, undefined);
    const name = `toolmark:asking:${wanted.teamId}:${wanted.key.toString('base64url')}`;
    for (let waitMs = 25; ; waitMs = Math.min(waitMs * 2, 500)) {
      const holder = randomUUID();
      // Without Redis no request is made at all, so it cannot be made twice either.
      const isReserved = await this.deps.redis.set(name, holder, 'PX', RESERVATION_MS, 'NX').catch(() => 'OK');
      if (isReserved) this.#reserved.set(name, holder);
      // Looked up after reserving the key, so that a reply stored by its last holder is found.
      const stored = await this.#lookups.add(wanted.teamId, wanted).catch((error: unknown) => {
        if (isReserved) this.#release(name);
        throw error;
      });
      if (stored) {
        if (isReserved) this.#release(name);
        return stored;
      }
      if (isReserved) return this.#reservation(wanted, name);
      await delay(waitMs, undefined, { signal }).catch(() => {
        throw signal.reason as Error;
      });
    }
  }

  #reservation(wanted: CacheKey & { laneId: string }, name: string | undefined): Reservation {
    const release = (): void => {
      if (name) this.#release(name);
    };
    return {
      store: async (settlement, key) => {
        await this.#stores
          .add(wanted.teamId, { ...wanted, key, settlement })
          .catch((error: Error) =>
            this.deps.logger.warn(
              { run: settlement.delivery.runId, lane: wanted.laneId, error: error.message },
              'A reply could not be stored in the cache',
            ),
          );
        release();
      },
      release,
    };
  }

  #release(name: string): void {
    const holder = this.#reserved.get(name);
    if (holder === undefined || !this.#reserved.delete(name)) return;
    // Deletes only our own reservation: another process may have taken the key while this one was frozen.
    void this.deps.redis
      .eval(`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end`, 1, name, holder)
      .catch(() => {});
  }

  close(): void {
    clearInterval(this.#renewal);
  }
}
