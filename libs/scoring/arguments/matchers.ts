import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';

export const MATCHERS = [
  '$one_of',
  '$regex',
  '$approx',
  '$contains',
  '$any',
  '$absent',
  '$optional',
  '$literal',
] as const;
export type Matcher = (typeof MATCHERS)[number];

/** The kind of matcher of an expected value. Undefined for a plain value. */
export function matcherOf(expected: Json): Matcher | undefined {
  if (!isObject(expected)) return undefined;
  return MATCHERS.find((name) => name in expected);
}

/** Whether a plain value has a key at any depth that would be read as a matcher in an expected value. */
const hasDollarKey = (value: Json): boolean =>
  Array.isArray(value)
    ? value.some(hasDollarKey)
    : isObject(value) && Object.entries(value).some(([key, inner]) => key.startsWith('$') || hasDollarKey(inner));

/** The expected value that accepts exactly a plain value, such as a recorded one. */
export const expectedFrom = (value: Json): Json => (hasDollarKey(value) ? { $literal: value } : value);

/** The expected arguments that accept exactly these. */
export const expectedArguments = (args: JsonObject): JsonObject =>
  Object.values(args).some(hasDollarKey)
    ? Object.fromEntries(Object.entries(args).map(([key, value]) => [key, expectedFrom(value)]))
    : args;

/** The only value that an expected value accepts when compared literally; undefined if it has other matchers. */
export function plainValue(expected: Json): Json | undefined {
  const matcher = matcherOf(expected);
  if (matcher) return matcher === '$literal' ? (expected as JsonObject).$literal : undefined;
  if (isObject(expected)) return plainArguments(expected);
  if (!Array.isArray(expected)) return expected;
  const items = expected.map(plainValue);
  if (items.includes(undefined)) return undefined;
  return items.every((item, index) => item === expected[index]) ? expected : (items as Json[]);
}

/** The same for each argument. A name that starts with "$" is a plain name. */
export function plainArguments(expected: JsonObject): JsonObject | undefined {
  const entries = Object.entries(expected).map(([key, value]) => [key, plainValue(value)] as const);
  if (entries.some(([, value]) => value === undefined)) return undefined;
  return entries.every(([key, value]) => value === expected[key])
    ? expected
    : (Object.fromEntries(entries) as JsonObject);
}
