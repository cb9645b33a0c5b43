import type { ProviderFailure } from './failure.js';

/** At most this many requests that failed, for an item. */
export const MAX_ATTEMPTS = 5;
/** How long an item waits for a provider that says 429, or that answers nobody. */
export const MAX_THROTTLED_MS = 15 * 60_000;

export type Next = { then: 'retry'; inMs: number; usesAttempt: boolean } | { then: 'settle-errored' };

/**
 * What to do after a failure. A wait that the provider asked for uses no attempt, but ends after 15 minutes; other retryable
 * failures are tried again with full jitter (AWS Architecture Blog, "Exponential Backoff and Jitter").
 *
 * @param attempts failed requests that count, this one included
 * @param throttledMs how long this item has waited for 429s so far
 * @param random 0..1
 */
export function afterFailure(failure: ProviderFailure, attempts: number, throttledMs: number, random: number): Next {
  if (!failure.retryable) return { then: 'settle-errored' };
  const backoffMs = random * Math.min(30_000, 500 * 2 ** attempts);
  if (failure.retryAfterMs !== undefined) {
    const inMs = Math.max(failure.retryAfterMs, failure.kind === 'rate_limited' ? backoffMs : 0);
    return throttledMs + inMs > MAX_THROTTLED_MS ? { then: 'settle-errored' } : { then: 'retry', inMs, usesAttempt: false };
  }
  return attempts >= MAX_ATTEMPTS ? { then: 'settle-errored' } : { then: 'retry', inMs: backoffMs, usesAttempt: true };
}
