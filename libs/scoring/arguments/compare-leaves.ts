import { RE2JS } from 're2js';
import type { ScoringMode } from '#lib/contracts/scoring-config';
import { isNumber, numberSource, type Json } from '#lib/contracts/json/json';
import type { ArgumentCheck } from '#lib/contracts/verdict';
import { parseDateTime } from './datetime.js';
import { distanceOf, sameNumber } from './decimal.js';
import { sequenceRatio } from './sequence-ratio.js';
import { commonForm, formChanges, formDifferences, hasOtherForms, type FormDifference } from './text-form.js';

const MAX_FUZZY_CHARACTERS = 20_000;
/** Maximum growth of a text's common form where the comparison takes more than linear time. */
const MAX_FORM_GROWTH = 1.5;

/** How a scalar value is compared. */
export interface ComparisonRule {
  mode: ScoringMode;
  epsilon: number;
  threshold: number | undefined;
}

/**
 * Looks up the similarity, 0..1, of two texts by the embedding model of the team. Returns undefined if it is unknown:
 * scoring itself does no I/O.
 */
export type SimilarityLookup = (expected: string, actual: string) => number | undefined;

const MAX_CACHED_PATTERNS = 1000;
const patterns = new Map<string, RE2JS>();

/** Compiles with RE2, so that user patterns run in linear time. @throws when the pattern does not compile */
export function compilePattern(pattern: string): RE2JS {
  let compiled = patterns.get(pattern);
  if (!compiled) {
    if (patterns.size > MAX_CACHED_PATTERNS) patterns.clear();
    patterns.set(pattern, (compiled = RE2JS.compile(pattern)));
  }
  return compiled;
}

/** How close two values are, and how close they must be, under a rule with a tolerance. */
export type Similarity = Pick<ArgumentCheck, 'similarity' | 'threshold' | 'distance' | 'epsilon'>;

/** The result of comparing a value. */
export interface Findings {
  notes: string[];
  /** The differences in form between texts that match. */
  forms: FormDifference[];
  /** The matching value with the lowest similarity or largest distance. */
  least?: Similarity;
  /** The similarity or distance of the value that does not match. */
  wrong?: Similarity;
  /** Why a value does not match, if that is not obvious. */
  reason?: string;
}
export const newFindings = (): Findings => ({ notes: [], forms: [] });

const isLessSimilar = (a: Similarity, b: Similarity): boolean =>
  (a.similarity ?? 1) < (b.similarity ?? 1) || (a.distance ?? 0) > (b.distance ?? 0);
export const lessSimilar = (a: Similarity | undefined, b: Similarity | undefined): Similarity | undefined =>
  a && b ? (isLessSimilar(a, b) ? { ...b, ...a } : { ...a, ...b }) : (a ?? b);
export const moreSimilar = (a: Similarity | undefined, b: Similarity | undefined): Similarity | undefined =>
  a && b ? (isLessSimilar(a, b) ? b : a) : (a ?? b);

function recordSimilarity(near: Similarity, isMatch: boolean, findings: Findings): boolean {
  if (isMatch) findings.least = lessSimilar(findings.least, near);
  else findings.wrong = near;
  return isMatch;
}

export function leafMatches(
  expected: Json,
  actual: Json,
  findings: Findings,
  { rule, similarities }: { rule: ComparisonRule; similarities: SimilarityLookup | undefined },
): boolean {
  const strings = typeof expected === 'string' && typeof actual === 'string';
  switch (rule.mode) {
    case 'contains':
      if (strings && expected !== '' && actual !== '')
        return textIncludes(expected, actual, findings) || textIncludes(actual, expected, findings);
      break;
    case 'numeric_tolerance': {
      const [a, b] = [numericText(expected), numericText(actual)];
      if (a !== undefined && b !== undefined) return isWithin(a, b, rule.epsilon, findings);
      break;
    }
    case 'datetime':
      if (strings) return sameDateTime(expected, actual, findings);
      break;
    case 'regex':
      if (typeof expected === 'string') return compilePattern(expected).test(textOf(actual));
      break;
    case 'fuzzy':
      if (!strings) break;
      if (expected.length > MAX_FUZZY_CHARACTERS || actual.length > MAX_FUZZY_CHARACTERS) {
        findings.notes.push(`Longer than ${MAX_FUZZY_CHARACTERS} characters: compared exactly.`);
        break;
      }
      return isFuzzyMatch(expected, actual, rule.threshold ?? 0.8, findings);
    case 'semantic': {
      if (!strings) break;
      const similarity = exactLeaf(expected, actual, findings) ? 1 : similarities?.(expected, actual);
      if (similarity !== undefined) return isSimilar(similarity, rule.threshold ?? 0.85, findings);
      break;
    }
  }
  return exactLeaf(expected, actual, findings);
}

const KINDS = {
  date: 'a date without a time',
  local: 'a time without an offset',
  instant: 'a time with an offset',
};

function sameDateTime(expected: string, actual: string, findings: Findings): boolean {
  const [wanted, given] = [parseDateTime(expected), parseDateTime(actual)];
  if (!wanted || !given) {
    const isSame = exactLeaf(expected, actual, findings);
    if (!isSame && wanted) findings.reason = 'The value is not a date or time in ISO 8601.';
    return isSame;
  }
  if (wanted.kind !== given.kind)
    findings.reason = `The value is ${KINDS[given.kind]}, the expected one is ${KINDS[wanted.kind]}.`;
  return wanted.key === given.key;
}

/** Whether a text contains another one, ignoring case. */
export function textIncludes(text: string, part: string, findings: Findings): boolean {
  if (!hasOtherForms(text) && !hasOtherForms(part)) return text.toLowerCase().includes(part.toLowerCase());
  const isIncluded = commonForm(text).includes(commonForm(part));
  if (isIncluded && !text.toLowerCase().includes(part.toLowerCase())) noteForms(text, part, findings);
  return isIncluded;
}

function noteForms(a: string, b: string, findings: Findings): void {
  const changes = [a, b].filter(hasOtherForms).flatMap(formChanges);
  if (changes.length) findings.notes.push(`Compared up to ${listForms(changes)}.`);
}

export const listForms = (forms: FormDifference[]): string => [...new Set(forms)].sort().join(' and ');

function isFuzzyMatch(expected: string, actual: string, threshold: number, findings: Findings): boolean {
  const comparable = (text: string): string => {
    const form = commonForm(text);
    return form.length > MAX_FORM_GROWTH * text.length ? text.toLowerCase() : form;
  };
  const isMatch = isSimilar(sequenceRatio(comparable(actual), comparable(expected)), threshold, findings);
  if (isMatch) noteForms(expected, actual, findings);
  return isMatch;
}

const isSimilar = (similarity: number, threshold: number, findings: Findings): boolean =>
  recordSimilarity({ similarity, threshold }, similarity >= threshold, findings);

export function isWithin(a: string, b: string, epsilon: number, findings: Findings): boolean {
  const { distance, within } = distanceOf(a, b, epsilon);
  return recordSimilarity(Number.isFinite(distance) ? { distance, epsilon } : {}, within, findings);
}

/** Same JSON type; strings ignoring case and form, numbers by decimal value. */
function exactLeaf(expected: Json, actual: Json, findings: Findings): boolean {
  if (typeof expected === 'string') return typeof actual === 'string' && sameText(expected, actual, findings);
  if (isNumber(expected)) return isNumber(actual) && sameNumber(expected, actual);
  return expected === actual;
}

function sameText(expected: string, actual: string, findings: Findings): boolean {
  if (expected === actual) return true;
  // A character has at most four others as its common form, so texts of very different lengths cannot match; this
  // avoids lower-casing megabytes.
  if (expected.length > 4 * actual.length || actual.length > 4 * expected.length) return false;
  if (!hasOtherForms(expected) && !hasOtherForms(actual)) return expected.toLowerCase() === actual.toLowerCase();
  if (commonForm(expected) !== commonForm(actual)) return false;
  findings.forms.push(...formDifferences(expected, actual));
  return true;
}

export const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The source text of a number, or of a string that is a JSON number after trimming. */
export function numericText(value: Json): string | undefined {
  if (isNumber(value)) return numberSource(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? text : undefined;
}
