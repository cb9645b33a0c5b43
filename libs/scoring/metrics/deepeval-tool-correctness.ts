import { z } from 'zod';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { jsonObject } from '#lib/contracts/tool';
import { hasKey, pythonEqual, pythonKey } from './python-values.js';
import { flag, json, calledMeta, metric, threshold, expectedMeta, type NamedCall, type ReadCall } from './metric.js';
import { comparedCalls } from './played-case.js';

const options = z.strictObject({
  evaluation_params: z
    .array(z.enum(['input_parameters', 'output']))
    .default([])
    .meta({ description: 'What is compared besides names: the arguments, the outputs of the tools, or both.' }),
  should_exact_match: flag(
    false,
    'Whether both lists must agree call by call, in which case the score is 0 or 1. Takes precedence over ' +
      '`should_consider_ordering`.',
  ),
  should_consider_ordering: flag(false, 'Whether only calls in the expected order count.'),
  threshold: threshold(0.5, 'The score from which `success` is true.'),
  strict_mode: flag(false, 'Sets the threshold to 1, and every lower score to 0.'),
});
type Options = z.output<typeof options>;

const DeepEvalCall = z.strictObject({
  name: z.string(),
  input_parameters: jsonObject.nullish(),
  output: json.optional(),
  type: z.string().nullish(),
});
type DeepEvalCall = z.infer<typeof DeepEvalCall>;

/** OpenAI's and LangChain's calls have their own type field, which only marks them as functions. */
const toCall = ({ name, arguments: given, source: { output, type } }: ReadCall): JsonObject => ({
  name,
  ...(given !== undefined && { input_parameters: given }),
  ...(output !== undefined && { output }),
  ...(typeof type === 'string' && type.toLowerCase() === 'mcp' && { type }),
});
const toPlainCall = (call: NamedCall): JsonObject => toCall({ ...call, source: {} });

export const deepevalToolCorrectness = metric({
  id: 'deepeval_tool_correctness',
  reference: 'DeepEval ToolCorrectnessMetric',
  version: '4.1',
  meaning: 'Share of expected tools that were called, without the LLM part.',
  options,
  input: z.strictObject({
    called: z.array(DeepEvalCall).meta(calledMeta),
    expected: z.array(DeepEvalCall).meta(expectedMeta),
  }),
  example: {
    options: { evaluation_params: ['input_parameters'] },
    input: {
      called: [{ name: 'weather', input_parameters: { city: 'Paris', days: 2 } }],
      expected: [{ name: 'weather', input_parameters: { city: 'Paris', days: 3 } }],
    },
  },
  score: ({ called, expected }, options) => correctness(called, expected, options),
  records: 'calls',
  toCall,
  // The members of DeepEval's enum print in capitals.
  readOption: (name, value) =>
    name === 'evaluation_params' && Array.isArray(value)
      ? value.map((one) => (typeof one === 'string' ? one.toLowerCase() : one))
      : value,
  fromCase: (played, { evaluation_params: compared }) =>
    comparedCalls(played, compared.length > 0, (replies, expected) =>
      compared.includes('output')
        ? { notApplicable: 'A case has no expected tool outputs.' }
        : { input: { called: replies.flat().map(toPlainCall), expected: expected.map(toPlainCall) } },
    ),
});

/** DeepEval 4.1 `ToolCorrectnessMetric` without its LLM part. */
function correctness(called: readonly DeepEvalCall[], expected: readonly DeepEvalCall[], options: Options) {
  const own = options.should_exact_match
    ? exact(called, expected, options)
    : options.should_consider_ordering
      ? inOrder(called, expected, options)
      : anyOrder(called, expected, options);
  const least = options.strict_mode ? 1 : options.threshold;
  const score = options.strict_mode && own < least ? 0 : own;
  return { score, success: score >= least };
}

const sameTool = (a: DeepEvalCall, b: DeepEvalCall): boolean => a.name === b.name && typeOf(a) === typeOf(b);
const typeOf = (call: DeepEvalCall): string => (call.type ?? 'FUNCTION').toLowerCase();
const parametersOf = (call: DeepEvalCall): Json => call.input_parameters ?? null;
const outputOf = (call: DeepEvalCall): Json => call.output ?? null;
const asks = (options: Options, what: Options['evaluation_params'][number]): boolean =>
  options.evaluation_params.includes(what);

function exact(called: readonly DeepEvalCall[], expected: readonly DeepEvalCall[], options: Options): number {
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

function weight(call: DeepEvalCall, want: DeepEvalCall, options: Options): number {
  if (!sameTool(call, want)) return 0;
  const score = asks(options, 'input_parameters') ? similarity(parametersOf(want), parametersOf(call)) : 1;
  return asks(options, 'output') && !pythonEqual(outputOf(call), outputOf(want)) ? 0 : score;
}

function anyOrder(called: readonly DeepEvalCall[], expected: readonly DeepEvalCall[], options: Options): number {
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
function inOrder(called: readonly DeepEvalCall[], expected: readonly DeepEvalCall[], options: Options): number {
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
      'One call has input_parameters and the other has none, or they are not objects: DeepEval cannot compare them.',
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
