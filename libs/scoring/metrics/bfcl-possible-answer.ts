import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { expectedFrom, matcherOf, plainValue } from '../arguments/matchers.js';

/** A pattern that no text matches. BFCL expresses this as an empty list of acceptable values. */
const NEVER = '[^\\s\\S]';

/**
 * Converts the values that BFCL accepts for a parameter into one expected value. "" in the list means that the
 * parameter may be omitted. The values of an object are again such lists, one level deep. BFCL compares deeper values
 * literally, and so does this. A parameter that the function requires may never be omitted, so there "" is a value.
 */
export const fromPossibleAnswer = (accepted: Json, required = false): Json => expectedOf(accepted, required, ofValue);

function expectedOf(accepted: Json, required: boolean, convert: (value: Json) => Json): Json {
  const values = Array.isArray(accepted) ? accepted : [accepted];
  if (values.length === 0) return { $regex: NEVER };
  const given = values.filter((value) => value !== '' || required).map(convert);
  const one: Json = given.length === 1 ? given[0]! : { $one_of: given };
  if (given.length === values.length) return one;
  return { $optional: given.length ? one : '' };
}

function ofValue(value: Json): Json {
  if (Array.isArray(value)) return value.length > 0 && value.every(isObject) ? value.map(ofValue) : expectedFrom(value);
  if (!isObject(value)) return value;
  return Object.keys(value).some(isDollarKey)
    ? { $literal: mapValues(value, (accepted) => [accepted].flat()[0]!) }
    : mapValues(value, (accepted) => expectedOf(accepted, false, expectedFrom));
}

const isDollarKey = (key: string): boolean => key.startsWith('$');
const mapValues = (object: JsonObject, change: (value: Json) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

/**
 * Whether a value contains an object with a key that starts with "$" and with several acceptable values for one of its
 * keys. No expected value can express that.
 */
export function hasLiteralChoice(value: Json): boolean {
  if (Array.isArray(value)) return value.every(isObject) && value.some(hasLiteralChoice);
  if (!isObject(value) || !Object.keys(value).some(isDollarKey)) return false;
  return Object.values(value).some(
    (accepted) => !Array.isArray(accepted) || accepted.length !== 1 || accepted[0] === '',
  );
}

/** The reverse: the list of acceptable values, or undefined if BFCL cannot express what is expected. */
export const toPossibleAnswer = (expected: Json): Json[] | undefined => acceptedOf(expected, toAnswer);

function acceptedOf(expected: Json, convert: (value: Json) => Json | undefined): Json[] | undefined {
  const matcher = matcherOf(expected);
  const inner = matcher && (expected as JsonObject)[matcher];
  if (matcher === '$regex') return inner === NEVER ? [] : undefined;
  if (matcher === '$one_of') return all((inner as Json[]).map((value) => acceptedOf(value, convert)))?.flat();
  if (matcher === '$optional') {
    const values = acceptedOf(inner!, convert);
    return values && (values.includes('') ? values : [...values, '']);
  }
  if (matcher && matcher !== '$literal') return undefined;
  const value = convert(expected);
  return value === undefined ? undefined : [value];
}

const raw = (value: Json): Json | undefined => plainValue(value);

function literalAnswer(value: Json): Json {
  if (Array.isArray(value)) return value.length > 0 && value.every(isObject) ? value.map(literalAnswer) : value;
  return isObject(value) ? mapValues(value, (inner) => [inner]) : value;
}

function toAnswer(value: Json): Json | undefined {
  const matcher = matcherOf(value);
  if (matcher) return matcher === '$literal' ? literalAnswer((value as JsonObject).$literal!) : undefined;
  if (Array.isArray(value) && value.length > 0 && value.every(isObject)) return all(value.map(toAnswer));
  if (!isObject(value)) return raw(value);
  const entries = all(
    Object.entries(value).map(([key, inner]): [string, Json] | undefined => {
      const accepted = acceptedOf(inner, raw);
      return accepted && [key, accepted];
    }),
  );
  return entries && Object.fromEntries(entries);
}

const all = <T>(values: (T | undefined)[]): T[] | undefined =>
  values.includes(undefined) ? undefined : (values as T[]);
