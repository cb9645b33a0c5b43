import { MIN_REST_MS, type ProviderFailure } from './failure.js';

/** The number of failed requests after which an item is settled as errored. */
const MAX_ATTEMPTS = 5;
/** The maximum total wait of an item for a provider that answers 429, or that is down. */
export const MAX_THROTTLED_MS = MIN_REST_MS;
/** The maximum time for which a model rests. A monthly quota resets within it. */
const MAX_REST_MS = 31 * 24 * 60 * 60_000;
/** The maximum backoff after a 429 without a wait. */
const MAX_THROTTLE_BACKOFF_MS = 60_000;
const MAX_BACKOFF_MS = 30_000;
const FIRST_BACKOFF_MS = 500;

export type RetryDecision =
  | { then: 'retry'; inMs: number; usesAttempt: boolean }
  /** The provider asked for a wait that is too long for a slot of its lane. */
  | { then: 'rest'; forMs: number }
  | { then: 'settle-errored' };

/** The failures of an item so far, including the current one. */
interface FailureCounts {
  /** Failed requests that count as attempts. */
  attempts: number;
  /** Consecutive 429s. */
  throttles: number;
  /** The total wait of the item because of them. */
  throttledMs: number;
}

/**
 * Decides what to do after a failure. A wait that the provider asked for uses no attempt, but the item gives up after
 * 15 minutes of such waits. For a single wait of that length or more the model rests, up to 31 days. Other retryable
 * failures are tried again after a backoff with full jitter (AWS Architecture Blog, "Exponential Backoff and Jitter"),
 * and so are 429s without a wait.
 * @param random 0..1
 */
export function decideRetry(
  failure: ProviderFailure,
  { attempts, throttles, throttledMs }: FailureCounts,
  random: number,
): RetryDecision {
  if (!failure.retryable) return { then: 'settle-errored' };
  const backoffMs = (failures: number, maxMs: number): number =>
    random * Math.min(maxMs, FIRST_BACKOFF_MS * 2 ** failures);
  if (failure.retryAfterMs !== undefined) {
    const ownBackoffMs = failure.kind === 'rate_limited' ? backoffMs(throttles, MAX_THROTTLE_BACKOFF_MS) : 0;
    if (failure.retryAfterMs >= MIN_REST_MS && failure.retryAfterMs <= MAX_REST_MS)
      return { then: 'rest', forMs: failure.retryAfterMs };
    const inMs = Math.max(failure.retryAfterMs, ownBackoffMs);
    return throttledMs + inMs >= MAX_THROTTLED_MS
      ? { then: 'settle-errored' }
      : { then: 'retry', inMs, usesAttempt: false };
  }
  if (attempts >= MAX_ATTEMPTS) return { then: 'settle-errored' };
  return { then: 'retry', inMs: backoffMs(attempts, MAX_BACKOFF_MS), usesAttempt: true };
}

/** Counts the failures of one item, or of one batch of texts to embed, and decides what to do after each. */
export class RetryState {
  readonly #counts: FailureCounts = { attempts: 0, throttles: 0, throttledMs: 0 };

  /** @param random 0..1 */
  constructor(readonly random: () => number = Math.random) {}

  /**
   * @returns what to do next and, after a 429, how long the whole lane waits: the limit is the lane's. A lane does not
   *   wait while a model rests.
   */
  recordFailure(failure: ProviderFailure): { next: RetryDecision; retryAfterMs?: number } {
    const counts = this.#counts;
    const isThrottled = failure.kind === 'rate_limited';
    counts.throttles = isThrottled ? counts.throttles + 1 : 0;
    const next = decideRetry(failure, { ...counts, attempts: counts.attempts + 1 }, this.random());
    if (next.then === 'retry') {
      if (next.usesAttempt) counts.attempts++;
      else counts.throttledMs += next.inMs;
    }
    if (!isThrottled || next.then === 'rest') return { next };
    const askedMs = Math.min(failure.retryAfterMs ?? 0, MAX_THROTTLED_MS);
    return { next, retryAfterMs: next.then === 'retry' ? next.inMs : askedMs };
  }
}
