import { z } from 'zod';
import { comparePythonStrings, hasKey, pythonStr } from './python-values.js';
import { CallsAndExpected, flag, metric, PARIS_CALL, ROME_CALL, type NamedCall } from './metric.js';
import { comparedCalls } from './played-case.js';

const options = z.strictObject({
  strict_order: flag(
    true,
    'Whether calls are compared in order. Otherwise both lists are sorted by names and arguments first.',
  ),
});
type Options = z.output<typeof options>;

export const ragasToolCallAccuracy = metric({
  id: 'ragas_tool_call_accuracy',
  reference: 'Ragas ToolCallAccuracy',
  version: '0.4.3',
  meaning: 'Share of right arguments where the names agree as sequences, else 0.',
  options,
  input: CallsAndExpected,
  score: ({ called, expected }, options) => accuracy(called, expected, options),
  example: {
    options: { strict_order: false },
    input: { called: [ROME_CALL, PARIS_CALL], expected: [PARIS_CALL, ROME_CALL] },
  },
  records: 'calls',
  fromCase: (played) => comparedCalls(played),
});

/**
 * Ragas 0.4.3 `ToolCallAccuracy` with exact comparison: by position, with arguments as Python's `str()`. Any differing
 * name gives 0.
 */
function accuracy(called: readonly NamedCall[], expected: readonly NamedCall[], options: Options): { score: number } {
  if (called.length === 0 && expected.length === 0) return { score: 1 };
  if (called.length === 0 || expected.length === 0) return { score: 0 };
  const [predicted, reference] = options.strict_order ? [called, expected] : [sorted(called), sorted(expected)];
  // Names are compared as lists, so any difference in length also gives 0.
  if (predicted.length !== reference.length || predicted.some((call, index) => call.name !== reference[index]!.name)) {
    return { score: 0 };
  }
  const total = predicted.reduce((sum, call, index) => sum + argumentScore(call, reference[index]!), 0);
  return { score: total / reference.length };
}

function argumentScore(predicted: NamedCall, reference: NamedCall): number {
  const [given, wanted] = [predicted.arguments ?? {}, reference.arguments ?? {}];
  const keys = Object.keys(wanted);
  if (keys.length === 0) return Object.keys(given).length === 0 ? 1 : 0;
  return (
    keys.filter((key) => hasKey(given, key) && pythonStr(given[key]!) === pythonStr(wanted[key]!)).length / keys.length
  );
}

/** Sorting does not match calls: a wrong argument can move a call away from its counterpart's position. */
function sorted(calls: readonly NamedCall[]): NamedCall[] {
  const keyed = calls.map((call) => {
    const args = call.arguments ?? {};
    return {
      call,
      key: [
        call.name,
        ...Object.keys(args)
          .sort(comparePythonStrings)
          .flatMap((name) => [name, pythonStr(args[name]!)]),
      ],
    };
  });
  return keyed.sort((a, b) => compareTuples(a.key, b.key)).map(({ call }) => call);
}

function compareTuples(a: string[], b: string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = comparePythonStrings(a[i]!, b[i]!);
    if (order) return order;
  }
  return a.length - b.length;
}
