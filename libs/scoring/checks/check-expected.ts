import type { ScoringConfig, ScoringMode } from '#lib/contracts/scoring-config';
import { isNumber, isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { parseDateTime } from '../arguments/datetime.js';
import { compilePattern } from '../arguments/compare-leaves.js';
import { ruleFor } from '../arguments/match-arguments.js';
import { MATCHERS, matcherOf } from '../arguments/matchers.js';

export type Fail = (path: PropertyKey[], message: string) => void;

/** Checks expected arguments: their matchers, patterns and dates. */
export function checkParams(
  path: PropertyKey[],
  params: JsonObject,
  config: ScoringConfig | null | undefined,
  scoring: ScoringMode | undefined,
  fail: Fail,
): void {
  for (const [key, value] of Object.entries(params)) {
    const { mode } = ruleFor(key, config, scoring);
    checkValue([...path, key], value, { mode, isValueOfKey: true, isInObject: false }, fail);
  }
}

/** The location of an expected value. */
interface ValuePosition {
  mode: ScoringMode;
  isValueOfKey: boolean;
  /** Whether it is part of an object, whose other parts may have other types. */
  isInObject: boolean;
}

/** Checks an expected value. */
export function checkValue(path: PropertyKey[], value: Json, place: ValuePosition, fail: Fail): void {
  if (typeof value === 'string') return checkText(path, value, place, fail);
  if (Array.isArray(value))
    value.forEach((item, index) => checkValue([...path, index], item, { ...place, isValueOfKey: false }, fail));
  if (!isObject(value)) return;
  const unknown = Object.keys(value).find(
    (key) => key.startsWith('$') && key !== '$epsilon' && !(MATCHERS as readonly string[]).includes(key),
  );
  if (unknown)
    return fail(
      [...path, unknown],
      `is not a matcher. Matchers: ${MATCHERS.join(', ')}. ` +
        `To expect an object with this key, put it into {"$literal": ...}.`,
    );
  const matcher = matcherOf(value);
  const ofKey = { ...place, isValueOfKey: true, isInObject: true };
  if (!matcher) {
    if ('$epsilon' in value) return fail([...path, '$epsilon'], 'belongs to "$approx".');
    for (const [key, inner] of Object.entries(value)) checkValue([...path, key], inner, ofKey, fail);
    return;
  }
  const others = Object.keys(value).filter((key) => key !== matcher && !(matcher === '$approx' && key === '$epsilon'));
  if (others.length) return fail([...path, others[0]!], `cannot be combined with "${matcher}".`);
  const inner = value[matcher]!;
  const here = [...path, matcher];
  switch (matcher) {
    case '$one_of':
      if (!Array.isArray(inner) || inner.length === 0)
        return fail(here, 'must be a list of at least one acceptable value.');
      return inner.forEach((member, index) =>
        checkValue([...here, index], member, { ...place, isValueOfKey: false }, fail),
      );
    case '$regex':
      return typeof inner === 'string'
        ? checkPattern(here, inner, fail)
        : fail(here, 'must be a pattern, as a string.');
    case '$contains':
      return typeof inner === 'string' && inner !== '' ? undefined : fail(here, 'must be a non-empty string.');
    case '$approx':
      if (!isNumber(inner)) fail(here, 'must be a number.');
      if (value.$epsilon !== undefined && !(isNumber(value.$epsilon) && Number(JSON.stringify(value.$epsilon)) >= 0))
        fail([...path, '$epsilon'], 'must be a number, 0 or more.');
      return;
    case '$any':
    case '$absent':
      if (inner !== true) fail(here, 'must be true.');
      if (matcher === '$absent' && !place.isValueOfKey) fail(here, 'can only be the value of a key.');
      return;
    case '$optional':
      if (!place.isValueOfKey) return fail(here, 'can only be the value of a key.');
      if (isObject(inner) && ('$optional' in inner || '$absent' in inner))
        return fail(here, 'cannot hold "$optional" or "$absent".');
      return checkValue(here, inner, place, fail);
    case '$literal':
      return checkTexts(here, inner, place, fail);
  }
}

/** Checks the texts of a value without matchers. */
function checkTexts(path: PropertyKey[], value: Json, place: ValuePosition, fail: Fail): void {
  if (typeof value === 'string') return checkText(path, value, place, fail);
  if (Array.isArray(value)) return value.forEach((item, index) => checkTexts([...path, index], item, place, fail));
  if (!isObject(value)) return;
  for (const [key, inner] of Object.entries(value))
    checkTexts([...path, key], inner, { ...place, isInObject: true }, fail);
}

function checkText(path: PropertyKey[], text: string, { mode, isInObject }: ValuePosition, fail: Fail): void {
  if (mode === 'regex') checkPattern(path, text, fail);
  if (mode === 'datetime' && !parseDateTime(text) && (!isInObject || BEGINS_LIKE_A_DATE.test(text)))
    fail(
      path,
      'is not a date or time in ISO 8601, such as "2026-03-01" or "2026-03-01T10:00:00Z". If it is not meant to be ' +
        'one, give the mode "datetime" only to the arguments that are, in "scoring_config.params".',
    );
}
const BEGINS_LIKE_A_DATE = /^\d{4}-?\d\d/;

export function checkPattern(path: PropertyKey[], pattern: string, fail: Fail): void {
  try {
    compilePattern(pattern);
  } catch (error) {
    fail(
      path,
      `is not a pattern that RE2 can compile: ${(error as Error).message}. RE2 has no look-around ` +
        'and no back-references.',
    );
  }
}
