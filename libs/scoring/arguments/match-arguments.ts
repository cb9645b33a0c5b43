import { RE2JS } from 're2js';
import type { ScoringConfig, ScoringMode } from '#lib/contracts/case';
import { isNumber, isObject, numberSource, type Json, type JsonObject } from '#lib/contracts/json/json';
import { jsonPointer } from '#lib/contracts/input/problem';
import type { ArgumentCheck } from '#lib/contracts/verdict';
import { distanceOf, sameNumber } from './decimal.js';
import { sequenceRatio } from './sequence-ratio.js';

/** How a value without parts is compared. */
export interface ComparisonRule {
  mode: ScoringMode;
  epsilon: number;
  threshold: number | undefined;
}

/**
 * Looks up the similarity, 0..1, of two texts by the embedding model of the team. Returns undefined when it is not
 * known: scoring itself does no I/O.
 */
export type SimilarityLookup = (expected: string, actual: string) => number | undefined;

export const MATCHERS = ['$one_of', '$regex', '$approx', '$contains', '$any', '$absent', '$optional'] as const;
type Matcher = (typeof MATCHERS)[number];
const MAX_FUZZY_CHARACTERS = 20_000;

/** The kind of matcher that an expected value is. Undefined for a plain value. */
export function matcherOf(expected: Json): Matcher | undefined {
  if (!isObject(expected)) return undefined;
  return MATCHERS.find((name) => name in expected);
}

/** Whether an expected value contains a matcher at any depth. */
export const containsMatcher = (expected: Json): boolean =>
  matcherOf(expected) !== undefined ||
  ((Array.isArray(expected) || isObject(expected)) && Object.values(expected).some(containsMatcher));

/** The rule for an argument: its own, else that of the case, else `param_scoring`, else exact. */
export function ruleFor(
  key: string,
  config: ScoringConfig | null | undefined,
  paramScoring: ScoringMode | undefined,
): ComparisonRule {
  const own = config?.params && Object.hasOwn(config.params, key) ? config.params[key] : undefined;
  return {
    mode: own?.mode ?? config?.mode ?? paramScoring ?? 'exact',
    epsilon: own?.epsilon ?? config?.epsilon ?? 0.01,
    threshold: own?.threshold ?? config?.threshold,
  };
}

const MAX_CACHED_PATTERNS = 1000;
const patterns = new Map<string, RE2JS>();

/** Compiles with RE2, so that patterns of users run in linear time. @throws when the pattern does not compile */
export function compilePattern(pattern: string): RE2JS {
  let compiled = patterns.get(pattern);
  if (!compiled) {
    if (patterns.size > MAX_CACHED_PATTERNS) patterns.clear();
    patterns.set(pattern, (compiled = RE2JS.compile(pattern)));
  }
  return compiled;
}

export interface ArgumentMatch {
  /** The share of expected arguments that are correct; 1 when none is expected. */
  score: number;
  checks: ArgumentCheck[];
}

/** Compares the arguments of a call with the expected ones, key by key. */
export function matchArguments(
  expected: JsonObject,
  actual: JsonObject,
  defaults: JsonObject,
  config: ScoringConfig | null | undefined,
  paramScoring: ScoringMode | undefined,
  similarities?: SimilarityLookup,
): ArgumentMatch {
  const checks: ArgumentCheck[] = [];
  let correct = 0;
  let counted = 0;
  for (const [key, wanted] of Object.entries(expected)) {
    const rule = ruleFor(key, config, paramScoring);
    const check = checkArgument(key, wanted, actual, defaults, rule, similarities);
    checks.push(check);
    if (check.verdict === 'skipped') continue;
    counted++;
    if (check.verdict === 'match') correct++;
  }
  return { score: counted === 0 ? 1 : correct / counted, checks };
}

/** How near two values are, and how near they must be, under a rule that compares by nearness. */
type Nearness = Pick<ArgumentCheck, 'similarity' | 'threshold' | 'distance' | 'epsilon'>;

/** What the comparison of a value finds. */
interface Findings {
  notes: string[];
  /** The least near of the values that match. */
  least?: Nearness;
  /** The nearness of the value that does not match. */
  wrong?: Nearness;
}

const isFarther = (a: Nearness, b: Nearness): boolean =>
  (a.similarity ?? 1) < (b.similarity ?? 1) || (a.distance ?? 0) > (b.distance ?? 0);
const farther = (a: Nearness | undefined, b: Nearness | undefined): Nearness | undefined =>
  a && b ? (isFarther(a, b) ? { ...b, ...a } : { ...a, ...b }) : (a ?? b);
const nearer = (a: Nearness | undefined, b: Nearness | undefined): Nearness | undefined =>
  a && b ? (isFarther(a, b) ? b : a) : (a ?? b);

function recordNearness(near: Nearness, isMatch: boolean, findings: Findings): boolean {
  if (isMatch) findings.least = farther(findings.least, near);
  else findings.wrong = near;
  return isMatch;
}

const NEEDS_NO_ESCAPE = /^\w+$/;

function checkArgument(
  key: string,
  wanted: Json,
  actual: JsonObject,
  defaults: JsonObject,
  rule: ComparisonRule,
  similarities?: SimilarityLookup,
): ArgumentCheck {
  const matcher = matcherOf(wanted);
  const base = {
    path: NEEDS_NO_ESCAPE.test(key) ? `/${key}` : jsonPointer([key]),
    rule: matcher ?? rule.mode,
    expected: wanted,
  };
  const given = Object.hasOwn(actual, key);
  const value = given ? actual[key]! : undefined;
  const fallback = Object.hasOwn(defaults, key) ? defaults[key]! : undefined;
  if (matcher === '$absent') {
    const isDefault = given && fallback !== undefined && equalJson(fallback, value!);
    return { ...base, verdict: !given || isDefault ? 'match' : 'mismatch', ...(given && { actual: value }) };
  }
  if (matcher === '$optional' && !given) return { ...base, verdict: 'skipped' };
  const used = given ? value! : fallback;
  if (used === undefined) return { ...base, verdict: 'missing' };
  const findings: Findings = { notes: [] };
  const wrong = mismatch(
    matcher === '$optional' ? (wanted as JsonObject).$optional! : wanted,
    used,
    rule,
    [key],
    findings,
    similarities,
  );
  return {
    ...base,
    verdict: wrong ? 'mismatch' : 'match',
    ...(wrong && { path: jsonPointer(wrong) }),
    actual: used,
    ...(!given && { default_applied: true }),
    ...(wrong ? findings.wrong : findings.least),
    ...(findings.notes.length && { note: findings.notes.join(' ') }),
  };
}

/** Whether a value matches the expected one under the rule of its argument. */
export const matchesExpected = (expected: Json, actual: Json, rule: ComparisonRule): boolean =>
  mismatch(expected, actual, rule, [], { notes: [] }) === undefined;

/** The path of the first difference between a value and the expected one; undefined when they match. */
function mismatch(
  expected: Json,
  actual: Json,
  rule: ComparisonRule,
  path: string[],
  findings: Findings,
  similarities?: SimilarityLookup,
): string[] | undefined {
  const matcher = matcherOf(expected);
  if (matcher)
    return matches(expected as JsonObject, matcher, actual, rule, path, findings, similarities) ? undefined : path;
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return path;
    for (let i = 0; i < expected.length; i++) {
      const wrong = mismatch(expected[i]!, actual[i]!, rule, [...path, String(i)], findings, similarities);
      if (wrong) return wrong;
    }
    return undefined;
  }
  if (isObject(expected)) {
    if (!isObject(actual)) return path;
    for (const [key, wanted] of Object.entries(expected)) {
      const inner = matcherOf(wanted);
      const here = [...path, key];
      if (!Object.hasOwn(actual, key)) {
        if (inner === '$optional' || inner === '$absent') continue;
        return here;
      }
      if (inner === '$absent') return here;
      const wrong = mismatch(
        inner === '$optional' ? (wanted as JsonObject).$optional! : wanted,
        actual[key]!,
        rule,
        here,
        findings,
        similarities,
      );
      if (wrong) return wrong;
    }
    const extra = Object.keys(actual).find((key) => !Object.hasOwn(expected, key));
    return extra === undefined ? undefined : [...path, extra];
  }
  return leafMatches(expected, actual, rule, findings, similarities) ? undefined : path;
}

function matches(
  expected: JsonObject,
  matcher: Matcher,
  actual: Json,
  rule: ComparisonRule,
  path: string[],
  findings: Findings,
  similarities?: SimilarityLookup,
): boolean {
  switch (matcher) {
    case '$any':
      return true;
    case '$absent':
      return false;
    case '$optional':
      return mismatch(expected.$optional!, actual, rule, path, findings, similarities) === undefined;
    case '$one_of': {
      let nearest: Nearness | undefined;
      for (const member of expected.$one_of as Json[]) {
        const ofMember: Findings = { notes: findings.notes };
        if (!mismatch(member, actual, rule, path, ofMember, similarities)) {
          findings.least = farther(findings.least, ofMember.least);
          return true;
        }
        nearest = nearer(nearest, ofMember.wrong);
      }
      findings.wrong = nearest;
      return false;
    }
    case '$regex':
      return compilePattern(expected.$regex as string).test(textOf(actual));
    case '$contains':
      return typeof actual === 'string' && actual.toLowerCase().includes((expected.$contains as string).toLowerCase());
    case '$approx': {
      const [wanted, given] = [numericText(expected.$approx!), numericText(actual)];
      const epsilon = expected.$epsilon === undefined ? 0.01 : Number(numericText(expected.$epsilon));
      return wanted !== undefined && given !== undefined && isWithin(wanted, given, epsilon, findings);
    }
  }
}

function leafMatches(
  expected: Json,
  actual: Json,
  rule: ComparisonRule,
  findings: Findings,
  similarities?: SimilarityLookup,
): boolean {
  const strings = typeof expected === 'string' && typeof actual === 'string';
  switch (rule.mode) {
    case 'contains':
      if (strings && expected !== '' && actual !== '') {
        const [a, b] = [expected.toLowerCase(), actual.toLowerCase()];
        return a.includes(b) || b.includes(a);
      }
      break;
    case 'numeric_tolerance': {
      const [a, b] = [numericText(expected), numericText(actual)];
      if (a !== undefined && b !== undefined) return isWithin(a, b, rule.epsilon, findings);
      break;
    }
    case 'regex':
      if (typeof expected === 'string') return compilePattern(expected).test(textOf(actual));
      break;
    case 'fuzzy':
      if (!strings) break;
      if (expected.length > MAX_FUZZY_CHARACTERS || actual.length > MAX_FUZZY_CHARACTERS) {
        findings.notes.push(`Longer than ${MAX_FUZZY_CHARACTERS} characters: compared exactly.`);
        break;
      }
      return isSimilar(sequenceRatio(actual.toLowerCase(), expected.toLowerCase()), rule.threshold ?? 0.8, findings);
    case 'semantic': {
      if (!strings) break;
      const similarity = exactLeaf(expected, actual) ? 1 : similarities?.(expected, actual);
      if (similarity !== undefined) return isSimilar(similarity, rule.threshold ?? 0.85, findings);
      break;
    }
  }
  return exactLeaf(expected, actual);
}

const isSimilar = (similarity: number, threshold: number, findings: Findings): boolean =>
  recordNearness({ similarity, threshold }, similarity >= threshold, findings);

function isWithin(a: string, b: string, epsilon: number, findings: Findings): boolean {
  const { distance, within } = distanceOf(a, b, epsilon);
  return recordNearness(Number.isFinite(distance) ? { distance, epsilon } : {}, within, findings);
}

/** Same JSON type; strings ignoring case, numbers by decimal value. */
function exactLeaf(expected: Json, actual: Json): boolean {
  if (typeof expected === 'string') {
    if (typeof actual !== 'string') return false;
    // Lower-casing makes at most three units of one (Unicode's SpecialCasing), so texts of very different lengths
    // differ without the cost of lower-casing megabytes.
    if (expected.length > 3 * actual.length || actual.length > 3 * expected.length) return false;
    return expected === actual || expected.toLowerCase() === actual.toLowerCase();
  }
  if (isNumber(expected)) return isNumber(actual) && sameNumber(expected, actual);
  return expected === actual;
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The text of a number, or of a string in JSON's number grammar after trimming. */
function numericText(value: Json): string | undefined {
  if (isNumber(value)) return numberSource(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? text : undefined;
}

/** Deep equality: numbers by decimal value, strings exactly, objects in any order of their keys. */
export function equalJson(a: Json, b: Json): boolean {
  if (isNumber(a)) return isNumber(b) && sameNumber(a, b);
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => equalJson(item, b[i]!));
  if (isObject(a)) {
    return (
      isObject(b) &&
      Object.keys(a).length === Object.keys(b).length &&
      Object.keys(a).every((key) => Object.hasOwn(b, key) && equalJson(a[key]!, b[key]!))
    );
  }
  return a === b;
}
