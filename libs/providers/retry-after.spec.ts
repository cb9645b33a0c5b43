import { redactPrivateResponse } from './guarded/private-response.js';
import { classifyStatus } from './classify-failure.js';
import { readRefill } from './waits/wait-in-headers.js';

const NOW = Date.parse('2026-11-26T13:00:00Z');
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const clock = Date.now;
const setClock = (at: number): void => void (Date.now = () => at);
beforeEach(() => setClock(NOW));
afterEach(() => void (Date.now = clock));

const URL_OF = 'https://api.example.com/v1';
const waitOf = (headers: Record<string, string>, error: object | string = 'slow down', status = 429) => {
  const message = typeof error === 'string' ? error : String((error as { message?: string }).message ?? '');
  return classifyStatus(status, new Headers(headers), error, message, { baseUrl: URL_OF }).retryAfterMs;
};
const unix = (afterMs: number): string => String((NOW + afterMs) / 1000);

describe('the wait requested by a provider is read', () => {
  it.each<[string, Record<string, string>, number]>([
    ['in seconds', { 'retry-after': '2' }, 2 * SECOND],
    ['in parts of a second', { 'retry-after': '0.5' }, 500],
    ['in milliseconds', { 'retry-after-ms': '150', 'retry-after': '1' }, 150],
    ['as a date of HTTP', { 'retry-after': 'Thu, 26 Nov 2026 13:01:00 GMT' }, MINUTE],
    ['as a date of ISO 8601', { 'retry-after': '2026-11-26T13:01:00Z' }, MINUTE],
    ['as such a date in another zone', { 'retry-after': '2026-11-26T14:01:00.5+01:00' }, MINUTE + 500],
    ['as a Unix time in seconds', { 'retry-after': unix(2000) }, 2000],
    ['as a Unix time in milliseconds', { 'retry-after': String(NOW + 2000) }, 2000],
    ['as a Unix time in a field for milliseconds', { 'retry-after-ms': unix(2000) }, 2000],
    ['as a Unix time in microseconds', { 'retry-after': String((NOW + 2000) * 1000) }, 2000],
    ['as the older dates of HTTP', { 'retry-after': 'Thu Nov 26 13:01:00 2026' }, MINUTE],
    ['as a date of HTTP in another zone', { 'retry-after': 'Thu, 26 Nov 2026 08:01:00 EST' }, MINUTE],
    ['twice', { 'retry-after': '20, 30' }, 30 * SECOND],
    ['in milliseconds by Azure', { 'x-ms-retry-after-ms': '2500' }, 2500],
    ['as a time in the past', { 'retry-after': unix(-5 * MINUTE) }, 0],
    ['as a date in the past', { 'retry-after': 'Thu, 26 Nov 2020 13:01:00 GMT' }, 0],
    ['as a duration', { 'retry-after': '7m12.5s' }, 432.5 * SECOND],
    ['below zero', { 'retry-after': '-1' }, 0],
    ['of a day', { 'retry-after': '86400' }, DAY],
    ['without end', { 'retry-after': '1e400' }, 366 * DAY],
    ['of many milliseconds', { 'retry-after-ms': '100000000000000000000' }, 366 * DAY],
    ['that ends in 9999', { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }, 366 * DAY],
    ['as it is reset', { 'x-ratelimit-reset': unix(30_000) }, 30_000],
    ['as it is reset in seconds', { 'ratelimit-reset': '30' }, 30_000],
    ['as requests are reset', { 'x-ratelimit-reset-requests': '6m0s' }, 6 * MINUTE],
    [
      'as what is used up is reset',
      {
        'x-ratelimit-remaining-requests-day': '0',
        'x-ratelimit-reset-requests-day': '33011.38',
        'x-ratelimit-remaining-tokens-minute': '7',
        'x-ratelimit-reset-tokens-minute': '11',
      },
      33_011_380,
    ],
    ['as a limit of the drafts is reset', { ratelimit: '"day";r=5;t=40000, "minute";r=0;t=20' }, 20 * SECOND],
    ['as a limit of an older draft is reset', { ratelimit: 'limit=100, remaining=0, reset=50' }, 50 * SECOND],
    ['as tokens are reset', { 'x-tokenlimit-remaining': '0', 'x-tokenlimit-reset': '3' }, 3 * SECOND],
    ['not as what is left of a limit of the drafts is reset', { ratelimit: '"default";r=3;t=50' }, 0],
    ['not as what is left is reset', { 'x-rate-limit-remaining': '7', 'x-rate-limit-reset': '11' }, 0],
    ['not from an invalid time', { 'retry-after': 'soon', 'x-ratelimit-reset': 'foo 1' }, 0],
    ['not from a long text', { 'retry-after': `1${'0'.repeat(5000)}` }, 0],
  ])('from headers, %s', (_how, headers, ms) => expect(waitOf(headers)).toBeCloseTo(ms, 3));

  it.each<[string, object, number]>([
    ['retry_after', { message: 'x', retry_after: 26 }, 26 * SECOND],
    ['retry_after_ms', { message: 'x', details: { retry_after_ms: 2600 } }, 2600],
    ['retryAfter', { message: 'x', retryAfter: '26s' }, 26 * SECOND],
    ['reset_at', { message: 'x', reset_at: '2026-11-26T13:02:00Z' }, 2 * MINUTE],
    ['resets_at', { message: 'x', resets_at: Number(unix(HOUR)) }, HOUR],
    ['resets_in_seconds', { message: 'x', type: 'usage_limit_reached', resets_in_seconds: 7200 }, 2 * HOUR],
    ["Google's RetryInfo", { message: 'x', details: [{ '@type': 'RetryInfo', retryDelay: '36.4s' }] }, 36_400],
    [
      "OpenRouter's headers",
      {
        message: 'Rate limit exceeded: free-models-per-day',
        metadata: { headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(NOW + 11 * HOUR) } },
      },
      11 * HOUR,
    ],
    [
      'headers next to an object without text',
      { message: 'x', metadata: { headers: { odd: { toString: 1 }, list: ['1', 2], 'Retry-After': 7 } } },
      7 * SECOND,
    ],
    [
      'none',
      { message: 'x', reset_password: 7, retry: 1, n: { a: { b: { c: { d: { e: { retry_after: 1 } } } } } } },
      0,
    ],
  ])('from fields of the error: %s', (_name, error, ms) => {
    expect(waitOf({}, error)).toBe(ms);
    const { error: redacted } = redactPrivateResponse(JSON.stringify({ error }), 'application/json');
    expect(waitOf({}, redacted)).toBe(ms);
  });

  it.each<[string, number]>([
    ['Requests have exceeded the call rate limit. Please retry after 26 seconds.', 26 * SECOND],
    ['Limit 3, Used 3. Please try again in 20s. Visit https://example.com', 20 * SECOND],
    ['Please try again in 7m12.5s.', 432.5 * SECOND],
    ['Please retry in 36.4s.', 36_400],
    ['Please try again in 18.642s.', 18_642],
    ['try again in 250ms', 250],
    ['Try again in 2 minutes', 2 * MINUTE],
    ['Your limit resets in 1 hour 3 minutes.', HOUR + 3 * MINUTE],
    ['Please wait 1 hour, 3 minutes and 2 seconds before the next request', HOUR + 3 * MINUTE + 2 * SECOND],
    ['Try again at 2026-11-27T00:00:00Z', 11 * HOUR],
    ['The quota resets at 2026-11-27 00:00:00 UTC.', 11 * HOUR],
    ['Quota resets on 2026-11-28', 35 * HOUR],
    ['Your limit resets at 00:00 UTC', 11 * HOUR],
    ['Retry after Fri, 27 Nov 2026 13:00:00 GMT', DAY],
    [`Limit reset at ${unix(HOUR)}`, HOUR],
    ['Your quota resets on December 1, 2026.', 107 * HOUR],
    ['Try again at Nov 27th, 2026 3:04 PM.', 26 * HOUR + 4 * MINUTE],
    ['Resets at 3:30 PM UTC', 2.5 * HOUR],
    ["You've hit your limit; it resets 5pm (UTC)", 4 * HOUR],
    ['The quota resets at midnight.', 11 * HOUR],
    ['Please try again tomorrow.', 11 * HOUR],
    ['Please try again in an hour.', HOUR],
    ['Please try again in a few minutes', 0],
    ['Please retry in 1,200 seconds.', 1200 * SECOND],
    ['Wait 1:30 minutes', 0],
    ['You are blocked for 5 minutes', 5 * MINUTE],
    ['Your rate limit resets in ~30s.', 30 * SECOND],
    ['Retry-After: 30', 30 * SECOND],
    ['Please retry after 30.', 30 * SECOND],
    ['Please try again in 999999h', 366 * DAY],
    ['You may retry after 3 requests are done', 0],
    ['Please wait. It is 5 o’clock', 0],
    [`${'wait '.repeat(100_000)}5 seconds`, 0],
  ])('from words: %.60s', (message, ms) => expect(waitOf({}, { message })).toBe(ms));

  it('from the words of a host behind the host', () => {
    const raw = JSON.stringify({ error: { message: 'Please try again in 7.5s.' } });
    expect(waitOf({}, { message: 'Provider returned error', metadata: { raw } })).toBe(7500);
  });

  it('from a 400 that names the time of renewed access', () => {
    const message = 'You have reached your API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.';
    expect(classifyStatus(400, undefined, { message }, message, { baseUrl: URL_OF })).toMatchObject({
      kind: 'rate_limited',
      retryable: true,
      retryAfterMs: 107 * HOUR,
    });
  });

  it('from a temporary refusal, too', () => {
    expect(waitOf({}, { message: 'Loading', estimated_time: 20 }, 503)).toBe(20 * SECOND);
    expect(waitOf({}, { message: 'Overloaded. Try again in 10 seconds.' }, 529)).toBe(10 * SECOND);
    expect(waitOf({ 'x-ratelimit-reset': '5' }, 'down', 500)).toBeUndefined();
  });
});

describe('a quota of a day', () => {
  const googles = {
    message: 'You exceeded your current quota, please check your plan and billing details. Please retry in 36.4s.',
    details: [
      { violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }] },
      { retryDelay: '36s' },
    ],
  };

  it.each<[string, object | string, number]>([
    ['in words ends at midnight UTC', 'You reached the limit of 50 requests per day.', 11 * HOUR],
    ['in a code, too', { message: 'x', code: 'free-models-per-day' }, 11 * HOUR],
    ['with a wait ends after that wait', 'Tokens per day (TPD): Limit 100. Try again in 7m12s.', 432 * SECOND],
    ['of Google ends at midnight Pacific time, whatever wait is named', googles, 19 * HOUR],
    ['of a month is retried each day', 'You are limited to 1000 API calls / month.', 11 * HOUR],
    ['next to a limit per minute may not be used up', 'Your limits: 10 requests per minute, 100 requests per day', 0],
    ['of an hour or a minute is not a quota of a day', 'Requests per minute exceeded', 0],
  ])('%s', (_what, error, ms) => {
    expect(waitOf({}, error)).toBe(ms);
    if (typeof error === 'string') return;
    expect(waitOf({}, redactPrivateResponse(JSON.stringify({ error }), 'application/json').error)).toBe(ms);
  });

  it('that a host with a slow clock still refuses after midnight is retried in half an hour', () => {
    setClock(Date.parse('2026-11-27T00:00:03Z'));
    expect(waitOf({}, 'Daily limit reached')).toBe(30 * MINUTE);
  });
});

it.each<[string, Record<string, string>, number | undefined]>([
  ['a duration', { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1m2.5s' }, 62_500],
  ['a Unix time', { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': unix(2000) }, 2000],
  ['a Unix time of OpenRouter', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW + 2000) }, 2000],
  ['of the draft', { 'ratelimit-remaining': '0', 'ratelimit-reset': '5' }, 5000],
  [
    "a date of Anthropic's",
    { 'anthropic-ratelimit-requests-remaining': '0', 'anthropic-ratelimit-requests-reset': '2026-11-26T13:00:10Z' },
    10_000,
  ],
  ['of the newer drafts', { ratelimit: '"default";r=0;t=50' }, 50_000],
  ['none while tokens are left', { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '5' }, undefined],
])('the refill of an exhausted limit in the headers of a reply is read: %s', (_what, headers, ms) =>
  expect(readRefill(new Headers(headers))).toBe(ms),
);
