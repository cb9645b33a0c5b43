import { pythonKey } from './python-values.js';
import type { NamedCall } from './named-call.js';

/**
 * Ragas 0.4.3 `ToolCallF1`: compares calls as sets of (name, arguments), without duplicates. No calls on both sides
 * give 0, not 1.
 */
export function ragasToolCallF1(called: readonly NamedCall[], expected: readonly NamedCall[]) {
  const [predicted, reference] = [keysOf(called), keysOf(expected)];
  const tp = [...predicted].filter((key) => reference.has(key)).length;
  const [fp, fn] = [predicted.size - tp, reference.size - tp];
  const precision = tp ? tp / (tp + fp) : 0;
  const recall = tp ? tp / (tp + fn) : 0;
  const f1 = tp ? (2 * precision * recall) / (precision + recall) : 0;
  return { score: roundLikePython(f1), precision, recall, tp, fp, fn };
}

const keysOf = (calls: readonly NamedCall[]): Set<string> =>
  new Set(calls.map((call) => JSON.stringify(call.name) + pythonKey(call.arguments ?? {})));

/** `round(value, 4)`: halves round to the even digit. Only odd 32nds lie exactly in the middle in binary. */
function roundLikePython(value: number): number {
  const isHalf = Number.isInteger(value * 32) && (value * 32) % 2 === 1;
  const below = Math.floor(value * 1e4);
  return isHalf ? (below + (below % 2)) / 1e4 : Number(value.toFixed(4));
}
