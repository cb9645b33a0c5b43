import { z } from 'zod';
import { isObject, type JsonObject } from '#lib/contracts/json/json';
import { hasKey, pythonEqual, pythonRepr } from './python-values.js';
import { similarityOf } from './axion-similarity.js';
import { flag, calledMeta, metric, NamedCall, PARIS_CALL, ROME_CALL, threshold, expectedMeta } from './metric.js';
import { comparedCalls } from './played-case.js';

const options = z.strictObject({
  check_parameters: flag(false, 'Whether arguments have to match too, or only names.'),
  strict_order: flag(false, 'Whether both lists must agree call by call, in which case the score is 0 or 1.'),
  parameter_matching_strategy: z.enum(['exact', 'subset', 'fuzzy']).default('exact').meta({
    description:
      'Arguments match when they are equal, when the expected ones are among them, or when they are similar enough.',
  }),
  fuzzy_threshold: threshold(
    0.8,
    'The mean similarity of the expected arguments from which a call matches, for `fuzzy`.',
  ),
  scoring: z
    .enum(['recall', 'precision', 'f1'])
    .default('recall')
    .meta({
      description:
        'What the score measures: the share of expected calls that were made (`recall`), the share of ' +
        'calls made that were expected (`precision`), or the harmonic mean of both (`f1`).',
    }),
  threshold: threshold(0.5, 'The score from which `pass` is true.'),
});
type Options = z.output<typeof options>;

const calls = z
  .array(NamedCall)
  .nullable()
  .transform((list) => list ?? []);

export const axionToolCorrectness = metric({
  id: 'axion_tool_correctness',
  reference: 'Axion ToolCorrectness',
  version: '2026-08',
  meaning: 'Share of expected tools that were called, arguments on request.',
  options,
  input: z.strictObject({ called: calls.meta(calledMeta), expected: calls.meta(expectedMeta) }),
  example: { options: { check_parameters: true }, input: { called: [PARIS_CALL], expected: [PARIS_CALL, ROME_CALL] } },
  score: ({ called, expected }, options) => correctness(called, expected, options),
  records: 'calls',
  takesNull: true,
  // Axion treats any other strategy as "exact".
  readOption: (name, value) =>
    name !== 'parameter_matching_strategy' || value === 'subset' || value === 'fuzzy' ? value : 'exact',
  fromCase: (played, options) => comparedCalls(played, options.check_parameters === true),
});

/** Axion's `ToolCorrectness` (August 2026): greedy first match, in the order of the expected tools. */
function correctness(called: readonly NamedCall[], expected: readonly NamedCall[], options: Options) {
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
        ? scoreInOrder(called, expected, options)
        : parts.join('; ');
  return { score, pass: score >= options.threshold, explanation };
}

function scoreInOrder(called: readonly NamedCall[], expected: readonly NamedCall[], options: Options): string {
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
  options: Options,
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

function matches(call: NamedCall, want: NamedCall, options: Options): boolean {
  if (call.name !== want.name) return false;
  if (!options.check_parameters) return true;
  const [given, wanted] = [call.arguments ?? {}, want.arguments ?? {}];
  if (options.parameter_matching_strategy === 'subset') return isSubset(given, wanted);
  if (options.parameter_matching_strategy !== 'fuzzy') return pythonEqual(given, wanted);
  const keys = Object.keys(wanted);
  if (keys.length === 0) return true;
  const total = keys.reduce((sum, key) => sum + similarityOf(hasKey(given, key) ? given[key]! : null, wanted[key]!), 0);
  return total / keys.length >= options.fuzzy_threshold;
}

const isSubset = (given: JsonObject, wanted: JsonObject): boolean =>
  Object.keys(wanted).every((key) => {
    if (!hasKey(given, key)) return false;
    const [value, want] = [given[key]!, wanted[key]!];
    return isObject(value) && isObject(want) ? isSubset(value, want) : pythonEqual(value, want);
  });
