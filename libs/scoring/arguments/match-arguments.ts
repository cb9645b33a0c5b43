import type { ScoringConfig, ScoringMode } from '#lib/contracts/scoring-config';
import { isNumber, isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { jsonPointer } from '#lib/contracts/input/problem';
import type { ArgumentCheck } from '#lib/contracts/verdict';
import {
  compilePattern,
  lessSimilar,
  isWithin,
  leafMatches,
  listForms,
  moreSimilar,
  newFindings,
  numericText,
  textIncludes,
  textOf,
  type ComparisonRule,
  type Findings,
  type Similarity,
  type SimilarityLookup,
} from './compare-leaves.js';
import { sameNumber } from './decimal.js';
import { matcherOf, type Matcher } from './matchers.js';

/** The rule for an argument: its own, else the case's, else `param_scoring`, else exact. */
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

export interface ArgumentMatch {
  /** The share of expected arguments that are correct; 1 if none is expected. */
  score: number;
  checks: ArgumentCheck[];
}

/** What the schema of a called tool declares about omitted arguments. */
export interface DeclaredArguments {
  defaults: JsonObject;
  /**
   * The arguments for which null means omitted; `all` with a strict schema, where this also holds in nested objects.
   */
  nullable: 'all' | ReadonlySet<string>;
}
export const NOTHING_DECLARED: DeclaredArguments = { defaults: {}, nullable: new Set() };

/** Whether an argument's null means that the call omits it. */
export const isLeftOut = (key: string, value: Json, { nullable }: DeclaredArguments): boolean =>
  value === null && isNullable(key, nullable);
const isNullable = (key: string, nullable: DeclaredArguments['nullable']): boolean =>
  nullable === 'all' || nullable.has(key);

/** Compares the arguments of a call with the expected ones, key by key. */
export function matchArguments(
  expected: JsonObject,
  actual: JsonObject,
  declared: DeclaredArguments,
  config: ScoringConfig | null | undefined,
  paramScoring: ScoringMode | undefined,
  similarities?: SimilarityLookup,
): ArgumentMatch {
  const checks: ArgumentCheck[] = [];
  const isStrict = declared.nullable === 'all';
  let correct = 0;
  let counted = 0;
  for (const [key, wanted] of Object.entries(expected)) {
    const comparison = { rule: ruleFor(key, config, paramScoring), isStrict, isLiteral: false, similarities };
    const check = checkArgument(key, wanted, actual, declared, comparison);
    checks.push(check);
    if (check.verdict === 'skipped') continue;
    counted++;
    if (check.verdict === 'match') correct++;
  }
  return { score: counted === 0 ? 1 : correct / counted, checks };
}

/** How the values of an argument are compared. */
interface Comparison {
  rule: ComparisonRule;
  /** Whether null means that a key of an object is omitted. */
  isStrict: boolean;
  /** Whether keys that start with "$" are plain keys. */
  isLiteral: boolean;
  similarities: SimilarityLookup | undefined;
}

const NEEDS_NO_ESCAPE = /^\w+$/;
const NULL_LEAVES_OUT = 'Under the schema of the tool, null counts as left out.';
const LEFT_OUT_IS_NULL = 'Under the schema of the tool, an argument that is left out counts as null.';

function checkArgument(
  key: string,
  wanted: Json,
  actual: JsonObject,
  declared: DeclaredArguments,
  comparison: Comparison,
): ArgumentCheck {
  const matcher = matcherOf(wanted);
  const base = {
    path: NEEDS_NO_ESCAPE.test(key) ? `/${key}` : jsonPointer([key]),
    rule: matcher ?? comparison.rule.mode,
    expected: wanted,
  };
  const written = Object.hasOwn(actual, key) ? actual[key]! : undefined;
  const isNull = written === null && isNullable(key, declared.nullable);
  const given = isNull ? undefined : written;
  const noted = isNull ? { actual: null, note: NULL_LEAVES_OUT } : {};
  const fallback = Object.hasOwn(declared.defaults, key) ? declared.defaults[key]! : undefined;
  if (matcher === '$absent') {
    const isDefault = given !== undefined && fallback !== undefined && equalJson(fallback, given);
    const isAbsent = given === undefined || isDefault;
    return {
      ...base,
      verdict: isAbsent ? 'match' : 'mismatch',
      ...(given !== undefined && { actual: given }),
      ...noted,
    };
  }
  if (matcher === '$optional' && given === undefined) return { ...base, verdict: 'skipped', ...noted };
  if (isNull && acceptsNull(wanted)) return { ...base, verdict: 'match', actual: null };
  const used = given === undefined ? fallback : given;
  if (used === undefined) {
    if (isNullable(key, declared.nullable) && acceptsNull(wanted))
      return { ...base, verdict: 'match', note: LEFT_OUT_IS_NULL };
    return { ...base, verdict: 'missing', ...noted };
  }
  const findings = newFindings();
  const wrong = mismatch(
    matcher === '$optional' ? (wanted as JsonObject).$optional! : wanted,
    used,
    [key],
    findings,
    comparison,
  );
  const note = noteOf(findings, wrong !== undefined, isNull);
  return {
    ...base,
    verdict: wrong ? 'mismatch' : 'match',
    ...(wrong && { path: jsonPointer(wrong) }),
    actual: used,
    ...(given === undefined && { default_applied: true }),
    ...(wrong ? findings.wrong : findings.least),
    ...(note && { note }),
  };
}

function noteOf({ notes, forms, reason }: Findings, isWrong: boolean, isNull: boolean): string {
  if (notes.length + forms.length === 0 && reason === undefined && !isNull) return '';
  const sentences = [...(isNull ? [NULL_LEAVES_OUT] : []), ...notes];
  if (isWrong && reason !== undefined) sentences.push(reason);
  if (!isWrong && forms.length) sentences.push(`Equal up to ${listForms(forms)}.`);
  return [...new Set(sentences)].join(' ');
}

/** Whether an expected value explicitly includes null. `$any` does not. */
function acceptsNull(wanted: Json, isLiteral = false): boolean {
  if (wanted === null) return true;
  if (isLiteral || !isObject(wanted)) return false;
  switch (matcherOf(wanted)) {
    case '$one_of':
      return (wanted.$one_of as Json[]).some((member) => acceptsNull(member));
    case '$optional':
      return acceptsNull(wanted.$optional!);
    case '$literal':
      return acceptsNull(wanted.$literal!, true);
    default:
      return false;
  }
}

/** Whether a value matches the expected one under the rule of its argument. */
export const matchesExpected = (expected: Json, actual: Json, rule: ComparisonRule): boolean =>
  mismatch(expected, actual, [], newFindings(), {
    rule,
    isStrict: false,
    isLiteral: false,
    similarities: undefined,
  }) === undefined;

/** The path of the first difference between a value and the expected one; undefined when they match. */
function mismatch(
  expected: Json,
  actual: Json,
  path: string[],
  findings: Findings,
  comparison: Comparison,
): string[] | undefined {
  const matcher = comparison.isLiteral ? undefined : matcherOf(expected);
  if (matcher === '$literal')
    return mismatch((expected as JsonObject).$literal!, actual, path, findings, { ...comparison, isLiteral: true });
  if (matcher) return matches(expected as JsonObject, matcher, actual, path, findings, comparison) ? undefined : path;
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return path;
    for (let i = 0; i < expected.length; i++) {
      const wrong = mismatch(expected[i]!, actual[i]!, [...path, String(i)], findings, comparison);
      if (wrong) return wrong;
    }
    return undefined;
  }
  if (isObject(expected)) return isObject(actual) ? mismatchIn(expected, actual, path, findings, comparison) : path;
  return leafMatches(expected, actual, findings, comparison) ? undefined : path;
}

function mismatchIn(
  expected: JsonObject,
  actual: JsonObject,
  path: string[],
  findings: Findings,
  comparison: Comparison,
): string[] | undefined {
  const { isStrict, isLiteral } = comparison;
  for (const [key, wanted] of Object.entries(expected)) {
    const inner = isLiteral ? undefined : matcherOf(wanted);
    const here = [...path, key];
    const given = Object.hasOwn(actual, key);
    if (isStrict && (!given || actual[key] === null) && acceptsNull(wanted, isLiteral)) continue;
    if (!given || (isStrict && actual[key] === null)) {
      if (inner !== '$optional' && inner !== '$absent') return here;
      if (given) findings.notes.push(NULL_LEAVES_OUT);
      continue;
    }
    if (inner === '$absent') return here;
    const wrong = mismatch(
      inner === '$optional' ? (wanted as JsonObject).$optional! : wanted,
      actual[key]!,
      here,
      findings,
      comparison,
    );
    if (wrong) return wrong;
  }
  for (const key of Object.keys(actual)) {
    if (Object.hasOwn(expected, key)) continue;
    if (!isStrict || actual[key] !== null) return [...path, key];
    findings.notes.push(NULL_LEAVES_OUT);
  }
  return undefined;
}

function matches(
  expected: JsonObject,
  matcher: Exclude<Matcher, '$literal'>,
  actual: Json,
  path: string[],
  findings: Findings,
  comparison: Comparison,
): boolean {
  switch (matcher) {
    case '$any':
      return true;
    case '$absent':
      return false;
    case '$optional':
      return mismatch(expected.$optional!, actual, path, findings, comparison) === undefined;
    case '$one_of': {
      let nearest: Similarity | undefined;
      for (const member of expected.$one_of as Json[]) {
        const ofMember: Findings = { notes: findings.notes, forms: [] };
        if (!mismatch(member, actual, path, ofMember, comparison)) {
          findings.least = lessSimilar(findings.least, ofMember.least);
          findings.forms.push(...ofMember.forms);
          return true;
        }
        nearest = moreSimilar(nearest, ofMember.wrong);
        findings.reason ??= ofMember.reason;
      }
      findings.wrong = nearest;
      return false;
    }
    case '$regex':
      return compilePattern(expected.$regex as string).test(textOf(actual));
    case '$contains':
      return typeof actual === 'string' && textIncludes(actual, expected.$contains as string, findings);
    case '$approx': {
      const [wanted, given] = [numericText(expected.$approx!), numericText(actual)];
      const epsilon = expected.$epsilon === undefined ? 0.01 : Number(numericText(expected.$epsilon));
      return wanted !== undefined && given !== undefined && isWithin(wanted, given, epsilon, findings);
    }
  }
}

/** Deep equality: numbers by decimal value, strings exactly, objects in any key order. */
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
