import { MAX_THROTTLED_MS } from './retry-policy.js';

/*
 * How a Retry-After is honoured:
 *
 * 1. `readRetryAfter` reads it from the headers of a failed response. `waitInMessage` reads it from the error's
 *    text, for providers that say it only there, and `dialects/read-errors.ts` from Google's error details.
 * 2. `classify-failure.ts` puts it on the failure: `ProviderFailure.retryAfterMs`.
 * 3. `RetryState.recordFailure` (`retry-policy.ts`) decides when the item tries again, and returns how long the
 *    whole lane waits.
 * 4. The worker releases its permit with that wait. The lane's budget in Redis (`libs/queue/budget`) blocks the lane
 *    until then, so that no worker of the fleet sends it a request.
 *
 * `readRefill` takes the same way from step 4 on: it reads when an exhausted limit refills, from the headers of a
 * reply, so that the lane stops before the provider answers 429.
 */

/**
 * Limits a wait to 15 minutes, after which an item gives up anyway.
 * @returns undefined for NaN
 */
const bounded = (ms: number): number | undefined =>
  Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_THROTTLED_MS);

/**
 * The milliseconds to wait, from `retry-after-ms`, or from `Retry-After` in seconds or as a date; at most 15 minutes.
 * @returns undefined when the headers name no wait
 */
export function readRetryAfter(headers: Headers | undefined): number | undefined {
  const ms = Number(headers?.get('retry-after-ms') ?? NaN);
  if (ms >= 0) return bounded(ms);
  const text = headers?.get('retry-after');
  if (!text) return undefined;
  const seconds = Number(text);
  return bounded(Number.isNaN(seconds) ? Date.parse(text) - Date.now() : seconds * 1000);
}

/**
 * The milliseconds to wait that only the text of an error names: "Please try again in 18.642s." (OpenAI's Responses),
 * "Please retry in 36.4s." (Google).
 */
export function waitInMessage(message: string): number | undefined {
  const [, wait] = /\b(?:try again|retry) in ((?:[\d.]+(?:ms|[hms]))+)/i.exec(message) ?? [];
  return wait === undefined ? undefined : durationMs(wait);
}

/** The limits whose remainder providers put into their headers. */
const LIMITS = ['requests', 'tokens', 'input-tokens', 'output-tokens'];

/**
 * The milliseconds until an exhausted limit refills. Reads OpenAI's headers (`x-ratelimit-remaining-requests: 0`,
 * `x-ratelimit-reset-requests: 1m2.5s`) and Anthropic's (`anthropic-ratelimit-requests-remaining: 0`,
 * `anthropic-ratelimit-requests-reset: 2026-01-01T00:00:00Z`). Azure sends -1 for a limit that it does not count.
 * @returns undefined while every limit has something left, or when the headers name none
 */
export function readRefill(headers: Headers): number | undefined {
  let refillMs: number | undefined;
  for (const limit of LIMITS) {
    const [left, reset] = headers.has(`x-ratelimit-remaining-${limit}`)
      ? [headers.get(`x-ratelimit-remaining-${limit}`), headers.get(`x-ratelimit-reset-${limit}`)]
      : [headers.get(`anthropic-ratelimit-${limit}-remaining`), headers.get(`anthropic-ratelimit-${limit}-reset`)];
    const isExhausted = left !== null && left.trim() !== '' && Number(left) === 0;
    if (!isExhausted) continue;
    const ms = durationMs(reset ?? '') ?? untilMs(reset ?? '');
    if (ms !== undefined) refillMs = Math.max(refillMs ?? 0, ms);
  }
  return refillMs;
}

/** The milliseconds until a date. */
const untilMs = (text: string): number | undefined => bounded(Date.parse(text) - Date.now());

const UNITS_MS: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** A duration such as `6m0s`, `1.5s` or `20ms`; a bare number means seconds. At most 15 minutes. */
function durationMs(text: string): number | undefined {
  const parts = [...text.matchAll(/(?<![\d.])([\d.]+)(ms|[hms])/g)];
  const isDuration = parts.length > 0 && parts.map(([part]) => part).join('') === text;
  const ms = isDuration
    ? parts.reduce((sum, [, number, unit]) => sum + Number(number) * UNITS_MS[unit!]!, 0)
    : text === ''
      ? NaN
      : Number(text) * 1000;
  return ms >= 0 ? bounded(ms) : undefined;
}
