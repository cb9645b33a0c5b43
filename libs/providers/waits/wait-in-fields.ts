import { isNumber, isObject, toNumber, toText, type JsonObject } from '#lib/contracts/json/json';
import { MAX_WAIT_CHARACTERS, readWait, waitOfNumber } from './read-wait.js';
import { waitInHeaders } from './wait-in-headers.js';

/** The number of fields, and the nesting levels, of an error that are searched. */
const MAX_FIELDS = 200;
const MAX_DEPTH = 5;

const MS_FIELD = /(?:ms|millis|milliseconds)$/;
const WAIT_FIELD = new RegExp(
  '^(?:ratelimit)?(?:retryafter|retryin|retrydelay|resets?in|resetsafter|resetafter|resets?at|resettime|resetson|' +
    'nextreset|waittime|waitfor|estimatedtime)(?:s|secs?|seconds|ms|millis|milliseconds)?$|^x?ratelimitreset$',
);

/** The wait in a field of an error, such as `retry_after`, `resets_at` or Google's `retryDelay`. */
export function waitInFields(error: unknown): number | undefined {
  let left = MAX_FIELDS;
  const search = (value: unknown, depth: number): number | undefined => {
    if (depth > MAX_DEPTH || typeof value !== 'object' || value === null || isNumber(value)) return undefined;
    for (const key in value) {
      if (left-- <= 0) return undefined;
      const inner = (value as Record<string, unknown>)[key];
      const found = waitInField(key, inner) ?? search(inner, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(error, 0);
}

function waitInField(key: string, value: unknown): number | undefined {
  if (key.length > MAX_WAIT_CHARACTERS) return undefined;
  const name = key.toLowerCase().replace(/[^a-z]/g, '');
  if (name === 'headers' && isObject(value)) return waitInHeaders(headersIn(value));
  if (!WAIT_FIELD.test(name)) return undefined;
  const unitMs = MS_FIELD.test(name) ? 1 : 1000;
  if (isNumber(value)) return waitOfNumber(toNumber(value), unitMs);
  return typeof value === 'string' ? readWait(value, unitMs) : undefined;
}

/** The headers of an upstream host that OpenRouter puts into `error.metadata.headers`. */
function headersIn(object: JsonObject): ReadonlyMap<string, string> {
  const entries = Object.entries(object).slice(0, MAX_FIELDS);
  return new Map(entries.map(([name, value]) => [name.toLowerCase(), [value].flat().map(toText).join(',')]));
}
