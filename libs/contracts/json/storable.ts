import { isObject, type RawNumber } from './json.js';

/** Digits that Postgres' `numeric` keeps: https://www.postgresql.org/docs/current/datatype-numeric.html */
const MOST_WHOLE_DIGITS = 131_072;
const MOST_DECIMALS = 16_383;

/** Something that Postgres stores neither as text nor as jsonb, and where it stands. */
export interface Unstorable {
  path: (string | number)[];
  why: string;
}

const NUL = 'holds the character U+0000, which cannot be stored. Remove it.';
const HALF =
  'holds half of a surrogate pair (\\ud800 to \\udfff), which is no character and cannot be stored. ' +
  'Remove it, or send both halves.';
const NUMERAL =
  `is a number that cannot be stored: at most ${MOST_WHOLE_DIGITS} digits before the decimal point and ` +
  `${MOST_DECIMALS} after it. Send it as a string.`;

/**
 * The first place in a value of JSON, or in what was read from another format, that Postgres could not store.
 * Refusing it once, where it comes in, keeps it from failing a statement that is about other teams' rows too.
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

/** Text as Postgres can hold it: without U+0000, and with U+FFFD in place of half a character. */
export const toStorable = (text: string): string => text.toWellFormed().replaceAll('\0', '');

const whyNotText = (text: string): string | undefined =>
  text.includes('\u0000') ? NUL : text.isWellFormed() ? undefined : HALF;

/**
 * Whether JSON text may hold such a thing: nearly none does, and who looks at the text first need not walk the
 * value.
 */
export const mayBeUnstorable = (json: string): boolean => SUSPICIOUS.test(json) || !json.isWellFormed();
// An escaped NUL or surrogate; an exponent of four digits; more digits in a row than any other exponent could bring
// into bounds.
const SUSPICIOUS = /\\u(?:0000|[dD][89a-fA-F])|\d[eE][+-]?\d{4}|(?<!\d)\d{15000}/;

/**
 * Of a JSON number's text: whether its digits, moved by its exponent, go beyond what `numeric` keeps on either side
 * of the point.
 */
function isTooLong(source: string): boolean {
  const [, whole, decimals = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  if (whole === undefined) return true;
  const move = Number(exponent);
  // Zeros in front count for nothing; those at the end of decimals are kept.
  const digits = (whole + decimals).replace(/^0+/, '').length - decimals.length + move;
  return (
    digits > MOST_WHOLE_DIGITS ||
    decimals.length - move > MOST_DECIMALS ||
    Math.abs(move) > MOST_WHOLE_DIGITS + MOST_DECIMALS
  );
}
