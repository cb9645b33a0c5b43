import { pythonKey } from './python-values.js';
import { CallsAndExpected, metric, NO_OPTIONS, PARIS_CALL, ROME_CALL, type NamedCall } from './metric.js';
import { comparedCalls } from './played-case.js';

export const ragasToolCallF1 = metric({
  id: 'ragas_tool_call_f1',
  reference: 'Ragas ToolCallF1',
  version: '0.4.3',
  meaning: 'F1 over the sets of whole calls; nothing expected and nothing called is 0.',
  options: NO_OPTIONS,
  input: CallsAndExpected,
  score: ({ called, expected }) => f1(called, expected),
  example: { input: { called: [PARIS_CALL], expected: [PARIS_CALL, ROME_CALL] } },
  records: 'calls',
  fromCase: (played) => comparedCalls(played),
});

/**
 * Ragas 0.4.3 `ToolCallF1`: compares calls as sets of (name, arguments), without duplicates. No calls on both sides
 * give 0, not 1.
 */
function f1(called: readonly NamedCall[], expected: readonly NamedCall[]) {
  const [predicted, reference] = [keysOf(called), keysOf(expected)];
  const tp = [...predicted].filter((key) => reference.has(key)).length;
  const [fp, fn] = [predicted.size - tp, reference.size - tp];
  const precision = tp ? tp / (tp + fp) : 0;
  const recall = tp ? tp / (tp + fn) : 0;
  const score = tp ? (2 * precision * recall) / (precision + recall) : 0;
  return { score: roundLikePython(score), precision, recall, tp, fp, fn };
}

const keysOf = (calls: readonly NamedCall[]): Set<string> =>
  new Set(calls.map((call) => JSON.stringify(call.name) + pythonKey(call.arguments ?? {})));

/** `round(value, 4)`: halves round to the even digit. Only odd 32nds lie exactly in the middle in binary. */
function roundLikePython(value: number): number {
  const isHalf = Number.isInteger(value * 32) && (value * 32) % 2 === 1;
  const below = Math.floor(value * 1e4);
  return isHalf ? (below + (below % 2)) / 1e4 : Number(value.toFixed(4));
}
