import { isNumber, isObject, type Json } from '#lib/contracts/json/json';

/** How the value of an argument is matched: it equals a value, or a matcher decides. */
export type Match = 'equal' | 'one_of' | 'contains' | 'regex' | 'approx' | 'any' | 'absent' | 'literal' | 'json';

/** An expected argument as a form shows it. */
export interface Expected {
  match: Match;
  /** What it is compared with; undefined: it is not checked. */
  value: Json | undefined;
  /** How far a number may be from `value`. */
  epsilon?: Json;
  /** Whether the call may leave it out. */
  isOptional: boolean;
}

export const UNCHECKED: Expected = { match: 'equal', value: undefined, isOptional: false };

/** Reads an expected value. What has no field of its own is shown as JSON. */
export function readExpected(expected: Json | undefined): Expected {
  if (!isObject(expected)) return { ...UNCHECKED, value: expected };
  const keys = Object.keys(expected);
  if (keys.length === 1 && keys[0] === '$optional') {
    const inner = readExpected(expected.$optional);
    return inner.isOptional || inner.match === 'absent' ? asJson(expected) : { ...inner, isOptional: true };
  }
  if (!keys.some((key) => key.startsWith('$'))) return { ...UNCHECKED, value: expected };
  return matcherOf(expected, keys) ?? asJson(expected);
}

const asJson = (value: Json): Expected => ({ match: 'json', value, isOptional: false });

function matcherOf(expected: { [key: string]: Json }, keys: string[]): Expected | undefined {
  const [key] = keys;
  if (keys.length === 2 && keys[0] === '$approx' && keys[1] === '$epsilon' && isNumber(expected.$approx))
    return { match: 'approx', value: expected.$approx, epsilon: expected.$epsilon, isOptional: false };
  if (keys.length !== 1) return undefined;
  const found = MATCHES.find(([matcher]) => matcher === key);
  const value = expected[key!]!;
  return found?.[2](value) ? { match: found[1], value, isOptional: false } : undefined;
}

const isText = (value: Json): boolean => typeof value === 'string';
const isTrue = (value: Json): boolean => value === true;
const MATCHES: readonly (readonly [matcher: string, match: Match, fits: (value: Json) => boolean])[] = [
  ['$one_of', 'one_of', Array.isArray],
  ['$contains', 'contains', isText],
  ['$regex', 'regex', isText],
  ['$approx', 'approx', isNumber],
  ['$any', 'any', isTrue],
  ['$absent', 'absent', isTrue],
  ['$literal', 'literal', () => true],
];

/** The expected value of a form's fields; undefined: not checked. */
export function writeExpected({ match, value, epsilon, isOptional }: Expected): Json | undefined {
  if (value === undefined) return undefined;
  const written = match === 'equal' || match === 'json' ? value : withMatcher(match, value, epsilon);
  return isOptional && match !== 'absent' ? { $optional: written } : written;
}

function withMatcher(match: Match, value: Json, epsilon: Json | undefined): Json {
  const [matcher] = MATCHES.find(([, one]) => one === match)!;
  return { [matcher]: value, ...(match === 'approx' && epsilon !== undefined ? { $epsilon: epsilon } : {}) };
}

/** The same under another match, which keeps the value if both can have it. */
export function withMatch(expected: Expected, match: Match): Expected {
  const { value } = expected;
  const one = expected.match === 'one_of' && Array.isArray(value) ? value[0] : value;
  const next = { match, isOptional: expected.isOptional && match !== 'absent' };
  if (match === 'any' || match === 'absent') return { ...next, value: true };
  if (match === 'json') return { ...next, isOptional: false, value: writeExpected(expected) };
  if (one === undefined || expected.match === 'any' || expected.match === 'absent')
    return { ...next, value: undefined };
  if (match === 'one_of')
    return { ...next, value: Array.isArray(value) && expected.match === 'one_of' ? value : [one] };
  const isFit = match === 'approx' ? isNumber(one) : match === 'contains' || match === 'regex' ? isText(one) : true;
  return { ...next, value: isFit ? one : undefined };
}
