import { MAX_WAIT_CHARACTERS, readWait } from './read-wait.js';

/** Further headers are ignored. */
const MAX_HEADERS = 200;

/** By lower-case name. */
type HeaderValues = Pick<ReadonlyMap<string, string>, 'get'> & Iterable<[string, string]>;
export type ReadableHeaders = Headers | HeaderValues;

const MS_HEADERS = ['retry-after-ms', 'x-retry-after-ms', 'x-ms-retry-after-ms'];
const HEADERS = ['retry-after', 'x-retry-after'];

/** The milliseconds to wait, from `retry-after-ms`, or from `Retry-After` in seconds, as a duration or as a time. */
export function readRetryAfter(headers: ReadableHeaders | undefined): number | undefined {
  const first = (names: readonly string[], unitMs: number): number | undefined =>
    names.map((name) => readWait(headers?.get(name) ?? '', unitMs)).find((ms) => ms !== undefined);
  return first(MS_HEADERS, 1) ?? first(HEADERS, 1000);
}

/**
 * The milliseconds until an exhausted limit refills: `x-ratelimit-remaining-requests: 0` with
 * `x-ratelimit-reset-requests: 1m2.5s` (OpenAI), `anthropic-ratelimit-requests-remaining: 0` with
 * `anthropic-ratelimit-requests-reset: 2026-01-01T00:00:00Z`, such pairs of other hosts, and `ratelimit`. Azure sends
 * -1 for a limit that it does not count.
 * @returns undefined while every limit has something left, or if the headers name none
 */
export function readRefill(headers: ReadableHeaders): number | undefined {
  const waits = [
    ...limitsIn(headers).map(({ remaining, reset }) => ({ remaining, reset: headers.get(reset) ?? '' })),
    ...listedLimits(headers.get('ratelimit') ?? ''),
  ]
    .filter(({ remaining }) => /^0(?:\.0{1,9})?(?:, ?0)?$/.test(remaining.trim()))
    .map(({ reset }) => readWait(reset))
    .filter((ms) => ms !== undefined);
  return waits.length ? Math.max(...waits) : undefined;
}

const MAX_LISTED_CHARACTERS = 1000;

/** `"default";r=0;t=50` of the newer IETF drafts, and `limit=100, remaining=0, reset=50` of an earlier one. */
function listedLimits(header: string): { remaining: string; reset: string }[] {
  const text = header.slice(0, MAX_LISTED_CHARACTERS);
  const valueOf = (item: string, name: string): string =>
    new RegExp(`(?:^|[;,\\s])${name}=(\\d{1,15})`).exec(item)?.[1] ?? '';
  return /\bremaining=/.test(text)
    ? [{ remaining: valueOf(text, 'remaining'), reset: valueOf(text, 'reset') }]
    : text.split(',').map((item) => ({ remaining: valueOf(item, 'r'), reset: valueOf(item, 't') }));
}

/** Names of rate-limit headers, of at most `MAX_WAIT_CHARACTERS`. */
const REMAINING = /limit.*remaining/;
const RESET = /limit.*reset/;

const namedLike = (headers: ReadableHeaders, name: RegExp): [string, string][] =>
  [...headers].slice(0, MAX_HEADERS).filter(([key]) => key.length <= MAX_WAIT_CHARACTERS && name.test(key));

const limitsIn = (headers: ReadableHeaders): { remaining: string; reset: string }[] =>
  namedLike(headers, REMAINING).map(([name, remaining]) => ({ remaining, reset: name.replace('remaining', 'reset') }));

/** The reset time of a limit whose remaining amount the headers do not report. */
function readReset(headers: ReadableHeaders): number | undefined {
  const withRest = new Set(limitsIn(headers).map(({ reset }) => reset));
  const waits = namedLike(headers, RESET)
    .filter(([name]) => !withRest.has(name))
    .map(([, reset]) => readWait(reset))
    .filter((ms) => ms !== undefined);
  return waits.length ? Math.max(...waits) : undefined;
}

/** The wait in milliseconds that the headers of a rejected request name. */
export const waitInHeaders = (headers: ReadableHeaders): number | undefined =>
  readRetryAfter(headers) ?? readRefill(headers) ?? readReset(headers);
