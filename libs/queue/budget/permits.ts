import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BudgetScripts, ReleasedPermit } from './budget-scripts.js';
import { breakerThresholds, type BudgetLimits } from './limits.js';

/** The right to make one request. Every acquired permit is released, whatever the outcome of its request. */
export interface Permit {
  id: string;
  /** Tokens reserved for the request. */
  tokens: number;
}

/** The outcome of a request, for the budget. */
export interface PermitUsage {
  /** Tokens used. Unused reserved tokens return to the bucket. */
  tokens: number;
  /** Set when the provider answered 429: the wait it asked for, 0 if it named none. */
  retryAfterMs?: number;
  /**
   * Whether the provider replied at all, even with a refusal. Omitted when unknown because the request was abandoned.
   */
  outcome?: 'reply' | { outage: string; item: string };
  /** Set when the provider reported that its limit is exhausted: time until it is refilled. */
  refilledInMs?: number;
  /** Why no requests may be sent until then, with the name of the provider or model. */
  blockReason?: string;
}

const MAX_REASON_CHARACTERS = 400;

const RENEWAL_MS = 500;

/** The permits held by this process: renewed twice a second, and released together with others of the same turn. */
export class HeldPermits {
  readonly #held = new Set<string>();
  readonly #renewal: NodeJS.Timeout;
  #released: ReleasedPermit[] = [];
  #releasing: Promise<number> | undefined;

  /**
   * @param onRelease called when a release is on its way to Redis: an acquire sent now over the same connection is
   *   answered after it
   */
  constructor(
    readonly scripts: BudgetScripts,
    readonly limits: () => BudgetLimits,
    readonly onRelease: () => void,
  ) {
    this.#renewal = setInterval(() => {
      if (this.#held.size) void this.scripts.renew(this.#held).catch(() => {});
    }, RENEWAL_MS).unref();
  }

  get size(): number {
    return this.#held.size;
  }

  hold(permit: Permit): void {
    this.#held.add(permit.id);
  }

  /**
   * Returns a permit; a second call changes nothing.
   * @returns whether the breaker is open now
   */
  async release(permit: Permit, usage: PermitUsage): Promise<boolean> {
    if (!this.#held.delete(permit.id)) return false;
    const { tokens, retryAfterMs, outcome, refilledInMs, blockReason } = usage;
    const failure = typeof outcome === 'object' ? outcome : undefined;
    this.#released.push({
      id: permit.id,
      tokensReserved: permit.tokens,
      tokensUsed: Math.ceil(tokens),
      retryAfterMs: retryAfterMs ?? -1,
      outcome: failure ? 'outage' : outcome === 'reply' ? 'reply' : '',
      item: failure?.item ?? '',
      error: failure?.outage ?? '',
      refilledInMs: refilledInMs ?? -1,
      blockReason: (blockReason ?? '').slice(0, MAX_REASON_CHARACTERS),
    });
    return (await (this.#releasing ??= this.#releaseBatch())) > 0;
  }

  async #releaseBatch(): Promise<number> {
    await nextTurn();
    const released = this.#released;
    this.#released = [];
    this.#releasing = undefined;
    // Losing a release does little harm: its permit expires.
    const outageSince = this.scripts.release(released, breakerThresholds(this.limits().max_concurrency)).catch(() => 0);
    this.onRelease();
    return outageSince;
  }

  close(): void {
    clearInterval(this.#renewal);
  }
}
