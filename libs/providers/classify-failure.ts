import { ended } from '#lib/contracts/problem';
import { MAX_THROTTLED_MS } from './retry-policy.js';
import { ResponseTooLarge, ResponseTooSlow } from './guarded/response-limits.js';
import { AddressNotAllowed } from './guarded/guarded-fetch.js';
import { ProviderFailure } from './failure.js';

/** What an HTTP status other than 2xx means for an item, and what a person can do about it. */
export function classifyStatus(
  status: number,
  headers: Headers | undefined,
  error: unknown,
  text: string,
  baseUrl: string,
): ProviderFailure {
  const host = new URL(baseUrl).host;
  const body = JSON.stringify({ error: error ?? text }).slice(0, 100_000);
  const said = messageIn(error) ?? text;
  const html = /<(!doctype|html)/i.test(said);
  const quote = html ? 'a web page' : said;
  const fail = (
    kind: ProviderFailure['kind'],
    message: string,
    retryable: boolean,
    retryAfterMs?: number,
  ): ProviderFailure => new ProviderFailure(kind, message, retryable, retryAfterMs, status, body);

  if (status === 429) {
    const retryAfterMs = readRetryAfter(headers) ?? waitIn(said);
    // Quota that was used up does not come back by waiting, unless the provider says when (Google speaks of billing
    // each time, and of a limit of 0 where the account has none).
    const spent =
      /insufficient_quota|\blimit: 0(?![.\d])/i.test(body) || (retryAfterMs === undefined && /billing/i.test(body));
    return fail('rate_limited', `${host} answered 429: ${quote}`, !spent, retryAfterMs ?? 0);
  }
  const retryAfterMs = readRetryAfter(headers);
  if (status === 402 || (status === 400 && /credit balance is too low/i.test(said))) {
    return fail('rate_limited', `${host} answered ${status}: ${ended(quote)} Add credit to the account there.`, false);
  }
  if (status === 401 || status === 403)
    return fail('auth', `${host} refused the key (${status}): ${ended(quote)} Check the provider's api_key.`, false);
  if (status === 408) return fail('timeout', `${host} answered 408: ${quote}`, true, retryAfterMs);
  if (status === 409) return fail('bad_response', `${host} answered 409: ${quote}`, true, retryAfterMs);
  if (status >= 500) return fail('provider_5xx', `${host} answered ${status}: ${quote}`, true, retryAfterMs);
  if (status >= 300 && status < 400) {
    return fail(
      'bad_response',
      `${host} redirects to ${headers?.get('location') ?? 'another address'}. Redirects are not ` +
        'followed: set base_url to the final address.',
      false,
    );
  }
  if (status === 404)
    return fail(
      'bad_request',
      `${host} answered 404: ${ended(quote)} Check the base URL (most end in /v1) and the model's id.`,
      false,
    );
  return fail('bad_request', `${host} answered ${status}: ${quote}`, false);
}

/** What an exception of the connection means: DNS, certificates, resets, answers too large. */
export function classifyError(error: unknown, baseUrl: string): ProviderFailure {
  const host = new URL(baseUrl).host;
  const causes: (Error & { code?: unknown })[] = [];
  for (
    let cause = error;
    typeof cause === 'object' && cause !== null && causes.length < 5;
    cause = (cause as Error).cause
  )
    causes.push(cause as Error);
  const known = causes.find(
    (cause) =>
      cause instanceof ResponseTooLarge || cause instanceof ResponseTooSlow || cause instanceof AddressNotAllowed,
  );
  if (known instanceof ResponseTooLarge) return new ProviderFailure('bad_response', known.message, false);
  if (known instanceof ResponseTooSlow) return new ProviderFailure('timeout', known.message, false);
  if (known instanceof AddressNotAllowed) return new ProviderFailure('network', known.message, false);
  // The SDK wraps some errors in one of its own that has the code in its message only.
  const code = causes
    .map(({ code, message }) => code ?? /\bE[A-Z_]{4,}\b/.exec(message)?.[0])
    .find((value) => typeof value === 'string') as string | undefined;
  if (code && /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO/.test(code)) {
    return new ProviderFailure(
      'network',
      `${host} has a certificate that cannot be trusted (${code}). Fix it, or add its authority with ` +
        'NODE_EXTRA_CA_CERTS.',
      false,
    );
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new ProviderFailure('network', `The name ${host} could not be resolved (${code}).`, true);
  if (code === 'ECONNREFUSED')
    return new ProviderFailure('network', `${host} refuses connections. Is it running?`, true);
  const deepest = causes.at(-1);
  return new ProviderFailure(
    'network',
    `The connection to ${host} failed: ${deepest?.message || code || 'unknown reason'}${code ? ` (${code})` : ''}`,
    true,
  );
}

function messageIn(error: unknown): string | undefined {
  if (typeof error === 'string') return error;
  const message = (error as { message?: unknown } | null)?.message;
  return typeof message === 'string' ? message : undefined;
}

/**
 * A wait that a provider asks for, in whatever words: 0 to 15 minutes, after which an item gives up anyway;
 * undefined for what is no number.
 */
const bounded = (ms: number): number | undefined =>
  Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_THROTTLED_MS);

/**
 * Milliseconds to wait, from `retry-after-ms`, or `Retry-After` in seconds or as a date, at most 15 minutes;
 * undefined when not said.
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
 * A wait that only the words of an error tell: "Please try again in 18.642s." (OpenAI's Responses), "Please retry
 * in 36.4s." (Google).
 */
function waitIn(message: string): number | undefined {
  const [, wait] = /\b(?:try again|retry) in ((?:[\d.]+(?:ms|[hms]))+)/i.exec(message) ?? [];
  return wait === undefined ? undefined : durationMs(wait);
}

/** Limits of which providers say what is left. */
const LIMITED = ['requests', 'tokens', 'input-tokens', 'output-tokens'];

/**
 * Milliseconds until a limit is refilled of which nothing is left; undefined while something is left, or nothing is
 * said. By OpenAI's headers (`x-ratelimit-remaining-requests: 0`, `x-ratelimit-reset-requests: 1m2.5s`) and by
 * Anthropic's (`anthropic-ratelimit-requests-remaining: 0`, `anthropic-ratelimit-requests-reset:
 * 2026-01-01T00:00:00Z`). Azure says -1 where it does not count.
 */
export function readRefill(headers: Headers): number | undefined {
  let refill: number | undefined;
  for (const what of LIMITED) {
    const [left, reset] = headers.has(`x-ratelimit-remaining-${what}`)
      ? [headers.get(`x-ratelimit-remaining-${what}`), headers.get(`x-ratelimit-reset-${what}`)]
      : [headers.get(`anthropic-ratelimit-${what}-remaining`), headers.get(`anthropic-ratelimit-${what}-reset`)];
    if (left === null || left.trim() === '' || Number(left) !== 0) continue;
    const ms = durationMs(reset ?? '') ?? untilMs(reset ?? '');
    if (ms !== undefined) refill = Math.max(refill ?? 0, ms);
  }
  return refill;
}

/** Until a time that is said whole. */
const untilMs = (text: string): number | undefined => bounded(Date.parse(text) - Date.now());

const UNITS_MS: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
/** A duration such as `6m0s`, `1.5s` or `20ms`; a bare number is seconds. At most 15 minutes. */
function durationMs(text: string): number | undefined {
  const parts = [...text.matchAll(/(?<![\d.])([\d.]+)(ms|[hms])/g)];
  const ms =
    parts.length && parts.map(([part]) => part).join('') === text
      ? parts.reduce((sum, [, number, unit]) => sum + Number(number) * UNITS_MS[unit!]!, 0)
      : text === ''
        ? NaN
        : Number(text) * 1000;
  return ms >= 0 ? bounded(ms) : undefined;
}
