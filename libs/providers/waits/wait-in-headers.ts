import { MAX_WAIT_CHARACTERS, readWait } from './read-wait.js';

/** More headers are not looked at. */
const MAX_HEADERS = 200;

/** By lower-case name. */
type HeaderValues = Pick<ReadonlyMap<string, string>, 'get'> & Iterable<[string, string]>;
export type ReadableHeaders = Headers | HeaderValues;

/** The milliseconds to wait, from `retry-after-ms`, or from `Retry-After` in seconds, as a duration or as a time. */
export function readRetryAfter(headers: ReadableHeaders | undefined): number | undefined {
  const ms = readWait(headers?.get('retry-after-ms') ?? headers?.get('x-retry-after-ms') ?? '', 1);
  return ms ?? readWait(headers?.get('retry-after') ?? headers?.get('x-retry-after') ?? '');
}

/**
 * The milliseconds until an exhausted limit refills: `x-ratelimit-remaining-requests: 0` with
 * `x-ratelimit-reset-requests: 1m2.5s` (OpenAI), `anthropic-ratelimit-requests-remaining: 0` with
 * `anthropic-ratelimit-requests-reset: 2026-01-01T00:00:00Z`, and such pairs of other hosts. Azure sends -1 for a
 * limit that it does not count.
 * @returns undefined while every limit has something left, or when the headers name none
 */
export function readRefill(headers: ReadableHeaders): number | undefined {
  const waits = limitsIn(headers)
    .filter(({ remaining }) => remaining.trim() !== '' && Number(remaining) === 0)
    .map(({ reset }) => readWait(headers.get(reset) ?? ''))
    .filter((ms) => ms !== undefined);
  return waits.length ? Math.max(...waits) : undefined;
}

/** Names of headers of limits, of at most `MAX_WAIT_CHARACTERS`. */
const REMAINING = /rate-?limit.*remaining/;
const RESET = /rate-?limit.*reset/;

const namedLike = (headers: ReadableHeaders, name: RegExp): [string, string][] =>
  [...headers].slice(0, MAX_HEADERS).filter(([key]) => key.length <= MAX_WAIT_CHARACTERS && name.test(key));

const limitsIn = (headers: ReadableHeaders): { remaining: string; reset: string }[] =>
  namedLike(headers, REMAINING).map(([name, remaining]) => ({ remaining, reset: name.replace('remaining', 'reset') }));

/** When a limit is reset of which the headers do not say what is left. */
function readReset(headers: ReadableHeaders): number | undefined {
  const withRest = new Set(limitsIn(headers).map(({ reset }) => reset));
  const waits = namedLike(headers, RESET)
    .filter(([name]) => !withRest.has(name))
    .map(([, reset]) => readWait(reset))
    .filter((ms) => ms !== undefined);
  return waits.length ? Math.max(...waits) : undefined;
}

/** The milliseconds to wait that the headers of a refused request name. */
export const waitInHeaders = (headers: ReadableHeaders): number | undefined =>
  readRetryAfter(headers) ?? readRefill(headers) ?? readReset(headers);
