import { z } from 'zod';
import { isObject, type Json } from '#lib/contracts/json/json';
import { jsonObject } from '#lib/contracts/tool';
import { hasKey, pythonEqual, pythonKey } from './python-values.js';

export const DeepEvalCall = z.strictObject({
  name: z.string(),
  input_parameters: jsonObject.nullish(),
  output: z.unknown().optional() as z.ZodType<Json | undefined>,
  type: z.string().nullish(),
});
export type DeepEvalCall = z.infer<typeof DeepEvalCall>;

export interface DeepEvalOptions {
  evaluation_params: string[];
  should_exact_match: boolean;
  should_consider_ordering: boolean;
  threshold: number;
  strict_mode: boolean;
}

/** DeepEval 4.1 `ToolCorrectnessMetric` without its LLM part. */
export function deepevalToolCorrectness(
  called: readonly DeepEvalCall[],
  expected: readonly DeepEvalCall[],
  options: DeepEvalOptions,
) {
  const plain = options.should_exact_match
    ? exact(called, expected, options)
    : options.should_consider_ordering
      ? inOrder(called, expected, options)
      : anyOrder(called, expected, options);
  const threshold = options.strict_mode ? 1 : options.threshold;
  const score = options.strict_mode && plain < threshold ? 0 : plain;
  return { score, success: score >= threshold };
}

const sameTool = (a: DeepEvalCall, b: DeepEvalCall): boolean => a.name === b.name && typeOf(a) === typeOf(b);
const typeOf = (call: DeepEvalCall): string => (call.type ?? 'FUNCTION').toLowerCase();
const parametersOf = (call: DeepEvalCall): Json => call.input_parameters ?? null;
const outputOf = (call: DeepEvalCall): Json => call.output ?? null;
const asks = (options: DeepEvalOptions, what: string): boolean => options.evaluation_params.includes(what);

function exact(called: readonly DeepEvalCall[], expected: readonly DeepEvalCall[], options: DeepEvalOptions): number {
  if (called.length !== expected.length) return 0;
  return called.every((call, index) => {
    const want = expected[index]!;
    return (
      sameTool(call, want) &&
      (!asks(options, 'input_parameters') || pythonEqual(parametersOf(call), parametersOf(want))) &&
      (!asks(options, 'output') || pythonEqual(outputOf(call), outputOf(want)))
    );
  })
    ? 1
    : 0;
}

function weight(call: DeepEvalCall, want: DeepEvalCall, options: DeepEvalOptions): number {
  if (!sameTool(call, want)) return 0;
  const score = asks(options, 'input_parameters') ? similarity(parametersOf(want), parametersOf(call)) : 1;
  return asks(options, 'output') && !pythonEqual(outputOf(call), outputOf(want)) ? 0 : score;
}

function anyOrder(
  called: readonly DeepEvalCall[],
  expected: readonly DeepEvalCall[],
  options: DeepEvalOptions,
): number {
  if (expected.length === 0) return called.length === 0 ? 1 : 0;
  // Equal calls are one element in the reference's set, so only one of two equal calls can be matched.
  const matched = new Set<string>();
  let total = 0;
  for (const want of expected) {
    let best = 0;
    let bestKey: string | undefined;
    for (const call of called) {
      const key = JSON.stringify([call.name, pythonKey(parametersOf(call)), pythonKey(outputOf(call))]);
      if (matched.has(key)) continue;
      const score = weight(call, want, options);
      if (score > best) [best, bestKey] = [score, key];
    }
    if (bestKey !== undefined) matched.add(bestKey);
    total += best;
  }
  return total / expected.length;
}

/** Weighted longest common subsequence. */
function inOrder(called: readonly DeepEvalCall[], expected: readonly DeepEvalCall[], options: DeepEvalOptions): number {
  if (expected.length === 0) return called.length === 0 ? 1 : 0;
  let above = new Float64Array(called.length + 1);
  for (const want of expected) {
    const row = new Float64Array(called.length + 1);
    called.forEach((call, j) => {
      const pair = weight(call, want, options);
      row[j + 1] = Math.max(above[j + 1]!, row[j]!, pair > 0 ? above[j]! + pair : 0);
    });
    above = row;
  }
  return above[called.length]! / expected.length;
}

/** @throws Error when the reference would crash: only one side has parameters */
function similarity(a: Json, b: Json): number {
  if (pythonEqual(a, b)) return 1;
  if (!isObject(a) || !isObject(b))
    throw new Error(
      'One call has input_parameters and the other has none, or they are no object: DeepEval cannot compare them.',
    );
  const union = new Set([...Object.keys(a), ...Object.keys(b)]).size;
  let total = 0;
  for (const key of Object.keys(a)) {
    if (!hasKey(b, key)) continue;
    const [x, y] = [a[key]!, b[key]!];
    total += pythonEqual(x, y) ? 1 : isObject(x) && isObject(y) ? similarity(x, y) : 0;
  }
  return union ? total / union : 0;
}
