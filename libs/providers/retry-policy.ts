import type { ProviderFailure } from './failure.js';

/** At most this many requests that failed, for an item. */
export const MAX_ATTEMPTS = 5;
/** How long an item waits for a provider that says 429, or that answers nobody. */
export const MAX_THROTTLED_MS = 15 * 60_000;
/** Between two requests to a provider that says 429 and not when to come back. */
const MAX_BACKOFF_MS = 60_000;

export type RetryDecision = { then: 'retry'; inMs: number; usesAttempt: boolean } | { then: 'settle-errored' };

/** What an item has been through so far, the failure at hand included. */
interface FailureCounts {
  /** Failed requests that count. */
  attempts: number;
  /** 429s in a row. */
  throttles: number;
  /** How long it has waited for them. */
  throttledMs: number;
}

/**
 * What to do after a failure. A wait that the provider asked for uses no attempt, but ends after 15 minutes; other
 * retryable failures are tried again with full jitter (AWS Architecture Blog, "Exponential Backoff and Jitter"),
 * and so are 429s that do not say when to come back, less and less often.
 *
 * @param random 0..1
 */
export function decideRetry(
  failure: ProviderFailure,
  { attempts, throttles, throttledMs }: FailureCounts,
  random: number,
): RetryDecision {
  if (!failure.retryable) return { then: 'settle-errored' };
  const backoffMs = (times: number, longestMs: number): number => random * Math.min(longestMs, 500 * 2 ** times);
  if (failure.retryAfterMs !== undefined) {
    const ownMs = failure.kind === 'rate_limited' ? backoffMs(throttles, MAX_BACKOFF_MS) : 0;
    const inMs = Math.max(failure.retryAfterMs, ownMs);
    return throttledMs + inMs >= MAX_THROTTLED_MS
      ? { then: 'settle-errored' }
      : { then: 'retry', inMs, usesAttempt: false };
  }
  if (attempts >= MAX_ATTEMPTS) return { then: 'settle-errored' };
  return { then: 'retry', inMs: backoffMs(attempts, 30_000), usesAttempt: true };
}

/** What one item, or one batch of texts, has been through with its provider, and what comes next. */
export class RetryState {
  readonly #tries: FailureCounts = { attempts: 0, throttles: 0, throttledMs: 0 };

  /** @param random 0..1 */
  constructor(readonly random: () => number = Math.random) {}

  /**
   * Counts a failure.
   * @returns what to do, and after a 429 for how long nobody should ask: the provider said it to the whole lane
   */
  recordFailure(failure: ProviderFailure): { next: RetryDecision; throttledForMs?: number } {
    const tries = this.#tries;
    const throttled = failure.kind === 'rate_limited';
    tries.throttles = throttled ? tries.throttles + 1 : 0;
    const next = decideRetry(failure, { ...tries, attempts: tries.attempts + 1 }, this.random());
    if (next.then === 'retry') {
      if (next.usesAttempt) tries.attempts++;
      else tries.throttledMs += next.inMs;
    }
    return {
      next,
      ...(throttled && { throttledForMs: next.then === 'retry' ? next.inMs : (failure.retryAfterMs ?? 0) }),
    };
  }
}
