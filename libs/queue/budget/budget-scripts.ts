import { readFileSync } from 'node:fs';
import type { Redis } from '#lib/runtime/redis';
import { MAX_BLOCK_MS, PERMIT_TTL_MS, type BudgetLimits } from './limits.js';

/** How many of the batch were granted; if not all, how many ms to wait, and why. */
export type Grant = [granted: number, waitMs: number, reason: string];

/** What to do when Redis has no state of the lane: reply `unknown`, begin with full buckets, or recover from a loss. */
export type OnUnknownLane = '' | 'new' | 'lost';

/** A request whose permit is returned, with the data that `release.lua` needs. -1 means "unknown". */
export interface ReleasedPermit {
  id: string;
  tokensReserved: number;
  tokensUsed: number;
  retryAfterMs: number;
  outcome: 'reply' | 'outage' | '';
  item: string;
  error: string;
  refilledInMs: number;
  /** Why the lane is blocked, if this release blocks it. */
  blockReason: string;
}

type Argument = string | number;
interface Commands {
  toolmarkAcquire(state: string, permits: string, ...args: Argument[]): Promise<Grant>;
  toolmarkRelease(state: string, permits: string, failing: string, ...args: Argument[]): Promise<number>;
  toolmarkRenew(permits: string, ...args: Argument[]): Promise<number>;
}

// `scripts/build.mjs` copies them next to the built module, and `scripts/check-lua.mjs` checks them.
const readScript = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const ACQUIRE = readScript('acquire.lua');
const RELEASE = readScript('release.lua');
const RENEW = readScript('renew.lua');

/** The braces keep all keys of a lane in one slot of a Redis Cluster. */
export const budgetKeys = (laneId: string) => ({
  state: `toolmark:{budget-${laneId}}:state`,
  permits: `toolmark:{budget-${laneId}}:permits`,
  failing: `toolmark:{budget-${laneId}}:failing`,
});

/** The Lua scripts of a lane's budget as functions. Each runs atomically and uses the clock of Redis. */
export class BudgetScripts {
  readonly #redis: Redis & Commands;
  readonly #keys: ReturnType<typeof budgetKeys>;

  constructor(redis: Redis, laneId: string) {
    this.#redis = redis as Redis & Commands;
    this.#keys = budgetKeys(laneId);
    if ('toolmarkAcquire' in redis) return;
    redis.defineCommand('toolmarkAcquire', { numberOfKeys: 2, lua: ACQUIRE });
    redis.defineCommand('toolmarkRelease', { numberOfKeys: 3, lua: RELEASE });
    redis.defineCommand('toolmarkRenew', { numberOfKeys: 1, lua: RENEW });
  }

  acquire(
    batch: readonly { id: string; tokens: number }[],
    limits: BudgetLimits,
    onUnknownLane: OnUnknownLane,
  ): Promise<Grant> {
    return this.#redis.toolmarkAcquire(
      this.#keys.state,
      this.#keys.permits,
      PERMIT_TTL_MS,
      MAX_BLOCK_MS,
      limits.requests_per_minute ?? 0,
      limits.tokens_per_minute ?? 0,
      limits.max_concurrency,
      onUnknownLane,
      ...batch.map(({ id }) => id),
      ...batch.map(({ tokens }) => tokens),
    );
  }

  /** @returns the time since when the breaker is open; 0 when it is closed */
  release(released: readonly ReleasedPermit[], opensAfter: { failures: number; items: number }): Promise<number> {
    return this.#redis.toolmarkRelease(
      this.#keys.state,
      this.#keys.permits,
      this.#keys.failing,
      opensAfter.failures,
      opensAfter.items,
      ...released.flatMap((permit) => [
        permit.id,
        permit.tokensReserved,
        permit.tokensUsed,
        permit.retryAfterMs,
        permit.outcome,
        permit.item,
        permit.error,
        permit.refilledInMs,
        permit.blockReason,
      ]),
    );
  }

  async renew(permitIds: Iterable<string>): Promise<void> {
    await this.#redis.toolmarkRenew(this.#keys.permits, PERMIT_TTL_MS, ...permitIds);
  }
}
