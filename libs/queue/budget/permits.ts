import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BudgetScripts, ReleasedPermit } from './budget-scripts.js';
import { breakerThresholds, type BudgetLimits } from './limits.js';

/** The right to make one request. Every permit that was acquired is released, whatever becomes of its request. */
export interface Permit {
  id: string;
  /** Reserved for the request. */
  tokens: number;
}

/** What became of a request, for the budget. */
export interface PermitUsage {
  /** Tokens used. What was reserved beyond them goes back to the bucket. */
  tokens: number;
  /** Set when the provider answered 429: how long it asked to wait, 0 when it did not say. */
  retryAfterMs?: number;
  /**
   * Whether the provider replied at all, if only with a refusal. Left out when nobody knows, because the request was
   * given up.
   */
  outcome?: 'reply' | { outage: string; item: string };
  /** Set when the provider said that nothing is left of its limit: when it will be refilled. */
  refilledInMs?: number;
  /** Why nobody may ask until then, with the name of who was told so. */
  blockReason?: string;
}

const MAX_REASON_CHARACTERS = 400;

const RENEWAL_MS = 500;

/** The permits that this process holds: renewed twice a second, and released together with others of the same turn. */
export class HeldPermits {
  readonly #held = new Set<string>();
  readonly #renewal: NodeJS.Timeout;
  #released: ReleasedPermit[] = [];
  #releasing: Promise<number> | undefined;

  /**
   * @param onRelease called when a release is on its way to Redis: whoever asks now, over the same connection, is
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
   * Gives a permit back; a second time changes nothing.
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
    // A lost release costs little: its permit expires.
    const outageSince = this.scripts.release(released, breakerThresholds(this.limits().max_concurrency)).catch(() => 0);
    this.onRelease();
    return outageSince;
  }

  close(): void {
    clearInterval(this.#renewal);
  }
}
