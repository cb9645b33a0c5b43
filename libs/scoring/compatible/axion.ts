import { isNumber, isObject, toNumber, type Json, type JsonObject } from '#lib/contracts/json/json';
import { hasKey, pythonEqual, pythonRepr, pythonType } from './python-values.js';
import { sequenceRatio } from '../arguments/sequence-ratio.js';
import type { NamedCall } from './named-call.js';

export interface AxionOptions {
  check_parameters: boolean;
  strict_order: boolean;
  parameter_matching_strategy: string;
  fuzzy_threshold: number;
  scoring: 'recall' | 'precision' | 'f1';
  threshold: number;
}

/** Axion's `ToolCorrectness` (August 2026): greedy first match, in the order of the expected tools. */
export function axionToolCorrectness(
  called: readonly NamedCall[],
  expected: readonly NamedCall[],
  options: AxionOptions,
) {
  const left = [...called];
  const matched: string[] = [];
  const missing: string[] = [];
  for (const want of expected) {
    const index = left.findIndex((call) => matches(call, want, options));
    (index < 0 ? missing : matched).push(want.name);
    if (index >= 0) left.splice(index, 1);
  }
  const score = scoreOf(called, expected, matched.length, options);
  const parts = [
    matched.length && `Correctly called: ${pythonRepr(matched)}`,
    missing.length && `Missing tools: ${pythonRepr(missing)}`,
    left.length && `Unexpected tools: ${pythonRepr(left.map((call) => call.name))}`,
  ].filter(Boolean);
  const explanation =
    expected.length === 0
      ? called.length === 0
        ? 'No tools were expected, and none were called.'
        : `No tools were expected, but ${called.length} were called.`
      : options.strict_order
        ? inOrder(called, expected, options)
        : parts.join('; ');
  return { score, pass: score >= options.threshold, explanation };
}

function inOrder(called: readonly NamedCall[], expected: readonly NamedCall[], options: AxionOptions): string {
  if (called.length !== expected.length) return `${expected.length} tools were expected, ${called.length} were called.`;
  const wrong = called.findIndex((call, index) => !matches(call, expected[index]!, options));
  if (wrong < 0) return `All ${expected.length} tools were called in order.`;
  return (
    `At position ${wrong} ${pythonRepr(expected[wrong]!.name)} was expected, and ` +
    `${pythonRepr(called[wrong]!.name)} ` +
    `called${options.check_parameters ? ` with ${pythonRepr(called[wrong]!.arguments ?? {})}` : ''}.`
  );
}

function scoreOf(
  called: readonly NamedCall[],
  expected: readonly NamedCall[],
  matched: number,
  options: AxionOptions,
): number {
  if (expected.length === 0) return called.length === 0 ? 1 : 0;
  if (options.strict_order) {
    return called.length === expected.length && called.every((call, index) => matches(call, expected[index]!, options))
      ? 1
      : 0;
  }
  const recall = matched / expected.length;
  if (options.scoring === 'recall') return recall;
  const precision = called.length === 0 ? 1 : matched / called.length;
  if (options.scoring === 'precision') return precision;
  return precision && recall ? (2 * precision * recall) / (precision + recall) : 0;
}

function matches(call: NamedCall, want: NamedCall, options: AxionOptions): boolean {
  if (call.name !== want.name) return false;
  if (!options.check_parameters) return true;
  const [given, wanted] = [call.arguments ?? {}, want.arguments ?? {}];
  if (options.parameter_matching_strategy === 'subset') return isSubset(given, wanted);
  if (options.parameter_matching_strategy !== 'fuzzy') return pythonEqual(given, wanted);
  const keys = Object.keys(wanted);
  if (keys.length === 0) return true;
  const total = keys.reduce(
    (sum, key) => sum + axionSimilarity(hasKey(given, key) ? given[key]! : null, wanted[key]!),
    0,
  );
  return total / keys.length >= options.fuzzy_threshold;
}

const isSubset = (given: JsonObject, wanted: JsonObject): boolean =>
  Object.keys(wanted).every((key) => {
    if (!hasKey(given, key)) return false;
    const [value, want] = [given[key]!, wanted[key]!];
    return isObject(value) && isObject(want) ? isSubset(value, want) : pythonEqual(value, want);
  });

/** Axion's similarity of two values. It is not symmetric, and it is negative for numbers of opposite signs. */
export function axionSimilarity(called: Json, expected: Json): number {
  if (called === null || expected === null || pythonType(called) !== pythonType(expected)) return 0;
  if (typeof called === 'string') return sequenceRatio(called, expected as string);
  if (typeof called === 'boolean') return called === expected ? 1 : 0;
  if (isNumber(called) && isNumber(expected)) return numberSimilarity(toNumber(called), toNumber(expected));
  if (isObject(called) && isObject(expected)) return objectSimilarity(called, expected);
  return pythonEqual(called, expected) ? 1 : 0;
}

function numberSimilarity(a: number, b: number): number {
  if (a === 0 && b === 0) return 1;
  if (a === 0 || b === 0) return 0;
  return 1 - Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b));
}

function objectSimilarity(a: JsonObject, b: JsonObject): number {
  const union = new Set([...Object.keys(a), ...Object.keys(b)]).size;
  if (union === 0) return 1;
  const shared = Object.keys(a).filter((key) => hasKey(b, key));
  const values = shared.length
    ? shared.reduce((sum, key) => sum + axionSimilarity(a[key]!, b[key]!), 0) / shared.length
    : 0;
  return (shared.length / union + values) / 2;
}
