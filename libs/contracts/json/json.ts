/**
 * JSON that keeps numbers as they were written.
 *
 * `5` and `5.0`, integers beyond 2^53, `1e0` and `-0.0` are different texts, and some metrics tell them apart. A
 * number whose JavaScript value would print differently from its source text is therefore kept as
 * `JSON.rawJSON(source)`. `JSON.stringify` prints such a value as it was written, so it survives every serialisation
 * without special handling. All other values are ordinary JavaScript values.
 */

import { rememberKeyOrder } from './key-order.js';

/** A number kept as its source text. `JSON.rawJSON` makes and freezes it, and `JSON.stringify` prints it verbatim. */
export interface RawNumber {
  readonly rawJSON: string;
}
export type Json = null | boolean | number | string | RawNumber | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

interface RawJson {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
}
const { rawJSON, isRawJSON } = JSON as unknown as RawJson;

/**
 * Matches text whose numbers `JSON.parse` could change: a trailing zero, an exponent, a minus zero, a tiny fraction,
 * sixteen digits.
 */
const MAYBE_LOSSY = /\d\.\d*0(?!\d)|\d[eE]|-0|\.0{5}|[\d.]{16}/;

/**
 * Parses JSON without losing the text of any number.
 * @throws SyntaxError when the text is not JSON
 */
export function parseJson(text: string): Json {
  const value = MAYBE_LOSSY.test(text)
    ? (JSON.parse(text, keepSource as (key: string, value: unknown) => unknown) as Json)
    : (JSON.parse(text) as Json);
  rememberKeyOrder(text, value);
  return value;
}

function keepSource(_key: string, value: unknown, context: { source?: string }): unknown {
  return typeof value === 'number' && context.source !== undefined && String(value) !== context.source
    ? rawJSON(context.source)
    : value;
}

export function isNumber(value: unknown): value is number | RawNumber {
  return typeof value === 'number' || isRawJSON(value);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJSON(value);
}

/**
 * Returns a string unchanged and anything else as JSON. `String` would call the value's own `toString`, which may be
 * anything.
 */
export const toText = (value: Json | undefined): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);

/**
 * Returns a number, the number in a string, or `NaN` for anything else. `Number` throws for a number kept as text, and
 * for an object with its own `valueOf` or `toString`.
 */
export const toNumber = (value: Json | undefined): number =>
  isNumber(value) ? Number(numberSource(value)) : typeof value === 'string' && value !== '' ? Number(value) : NaN;

/** The source text of a number (`5.0`), or JavaScript's form if it never was JSON. */
export function numberSource(value: number | RawNumber): string {
  return typeof value === 'number' ? (Object.is(value, -0) ? '-0' : String(value)) : value.rawJSON;
}

/** Keys whose values are user data: their numbers keep their text. Everywhere else a number is a setting. */
const DATA_KEYS = new Set([
  'tools',
  'expected_params',
  'params',
  'arguments',
  'mock_responses',
  'messages',
  'default_params',
  'search_space',
  'per_model_search_spaces',
]);

/**
 * Turns kept numbers into JavaScript numbers, so that settings validate as numbers. Numbers below the keys in `keep`,
 * which hold user data, stay unchanged.
 */
export function unwrapNumbers(value: unknown, keep: ReadonlySet<string> = DATA_KEYS): unknown {
  if (isRawJSON(value)) return Number(value.rawJSON);
  if (Array.isArray(value)) return value.map((item) => unwrapNumbers(item, keep));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    keep.has(key) ? item : unwrapNumbers(item, SETTINGS_BELOW[key] ?? keep),
  ]);
  return Object.fromEntries(entries);
}
const NONE: ReadonlySet<string> = new Set();
/** What is data below some keys: the rules of a conversation's tools have settings, too. */
const SETTINGS_BELOW: Partial<Record<string, ReadonlySet<string>>> = {
  scoring_config: NONE,
  conversation: new Set(['state', 'respond', 'value', 'arguments', 'params']),
};

/** Deeper than any suite or schema. Recursion into much deeper values overflows the stack. */
export const MAX_JSON_DEPTH = 200;

/** Whether lists and objects are nested deeper than `levels`. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (Array.isArray(value)) return levels === 0 || value.some((inner) => isDeeperThan(inner, levels - 1));
  if (!isObject(value)) return false;
  if (levels === 0) return true;
  // `for...in` avoids creating a list of all values.
  for (const key in value) if (isDeeperThan(value[key], levels - 1)) return true;
  return false;
}

/** Turns every kept number into a JavaScript number. Their source texts are lost. */
export const unwrapAllNumbers = (value: unknown): unknown => unwrapNumbers(value, NONE);
