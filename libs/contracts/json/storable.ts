import { isObject, type RawNumber } from './json.js';

/** Digits that Postgres' `numeric` holds: https://www.postgresql.org/docs/current/datatype-numeric.html */
const MAX_WHOLE_DIGITS = 131_072;
const MAX_DECIMALS = 16_383;

/** The path of a value that Postgres can store neither as text nor as jsonb, and the reason. */
export interface Unstorable {
  path: (string | number)[];
  why: string;
}

const NUL = 'holds the character U+0000, which cannot be stored. Remove it.';
const LONE_SURROGATE =
  'holds half of a surrogate pair (\\ud800 to \\udfff), which is not a character and cannot be stored. ' +
  'Remove it, or send both halves.';
const NUMERAL =
  `is a number that cannot be stored: at most ${MAX_WHOLE_DIGITS} digits before the decimal point and ` +
  `${MAX_DECIMALS} after it. Send it as a string.`;

/**
 * Finds the first place in a value that Postgres could not store, whether the value came from JSON or another format.
 * Rejecting it on arrival prevents a later statement, which also concerns other teams' rows, from failing.
 */
export function findUnstorable(value: unknown): Unstorable | undefined {
  const why = typeof value === 'string' ? whyNotText(value) : undefined;
  if (why) return { path: [], why };
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const found = findUnstorable(item);
      if (found) return { path: [index, ...found.path], why: found.why };
    }
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const bad = whyNotText(key);
      const found = bad ? { path: [], why: `has a name that ${bad}` } : findUnstorable(value[key]);
      if (found) return { path: [key, ...found.path], why: found.why };
    }
  } else if (typeof value === 'object' && value !== null && 'rawJSON' in value) {
    if (isTooLong((value as RawNumber).rawJSON)) return { path: [], why: NUMERAL };
  }
  return undefined;
}

/** Makes text storable in Postgres: removes U+0000 and replaces lone surrogates with U+FFFD. */
export const toStorable = (text: string): string => text.toWellFormed().replaceAll('\0', '');

const whyNotText = (text: string): string | undefined =>
  text.includes('\u0000') ? NUL : text.isWellFormed() ? undefined : LONE_SURROGATE;

/**
 * Whether JSON text may contain something that cannot be stored. Such text is rare, so this check usually saves walking
 * the value.
 */
export const mayBeUnstorable = (json: string): boolean => SUSPICIOUS.test(json) || !json.isWellFormed();
// An escaped NUL or surrogate; an exponent of four digits; or a run of digits too long for any shorter exponent to
// bring into range.
const SUSPICIOUS = /\\u(?:0000|[dD][89a-fA-F])|\d[eE][+-]?\d{4}|(?<!\d)\d{15000}/;

/**
 * Whether a JSON number, given as text, has more digits on either side of its decimal point than `numeric` allows,
 * after its exponent is applied.
 */
function isTooLong(source: string): boolean {
  const [, whole, decimals = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  if (whole === undefined) return true;
  const move = Number(exponent);
  // Leading zeros do not count. Postgres keeps trailing zeros of decimals.
  const digits = (whole + decimals).replace(/^0+/, '').length - decimals.length + move;
  return (
    digits > MAX_WHOLE_DIGITS ||
    decimals.length - move > MAX_DECIMALS ||
    Math.abs(move) > MAX_WHOLE_DIGITS + MAX_DECIMALS
  );
}
