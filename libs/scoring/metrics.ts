import { z } from 'zod';
import { isObject, lossyNumbers, type Json } from '#lib/contracts/json';
import { isMetricId, METRIC_IDS, METRIC_OPTIONS, type MetricId, type MetricOptions } from '#lib/contracts/metric';
import { jsonObject } from '#lib/contracts/tool';
import { SCORING_VERSION } from '#lib/contracts/verdict';
import { agentevalsTrajectoryMatch } from './compatible/agentevals.js';
import { axionSimilarity, axionToolCorrectness } from './compatible/axion.js';
import { bfclAst } from './compatible/bfcl.js';
import { NamedCall } from './compatible/calls.js';
import { DeepEvalCall, deepevalToolCorrectness } from './compatible/deepeval.js';
import { promptfooToolCallF1 } from './compatible/promptfoo.js';
import { ragasToolCallAccuracy } from './compatible/ragas-accuracy.js';
import { ragasToolCallF1 } from './compatible/ragas-f1.js';
import { MultiTurnInput, scoreMultiTurn, scoreSingleTurn, SingleTurnInput } from './house-metrics.js';
import { passAtK, passHatK } from './repeats.js';
import { sequenceRatio } from './sequence-ratio.js';

/** What a metric makes of one input; further fields are the reference's own (`valid`, `tp`, ...). */
export interface MetricScore {
  score: number | null;
  [field: string]: unknown;
}

/** What a metric is; `GET /api/metrics` lists these. */
export interface MetricEntry {
  id: MetricId;
  reference: string;
  version: string;
  meaning: string;
  /** Strict, with defaults; `z.toJSONSchema(options, { io: 'input' })` prints them. */
  options: z.ZodObject;
}
interface Metric extends MetricEntry {
  score(input: unknown, options: unknown): MetricScore;
}

function metric<Id extends MetricId, I extends z.ZodType>(of: {
  id: Id; reference: string; version: string; meaning: string; input: I; score: (input: z.output<I>, options: MetricOptions<Id>) => MetricScore;
}): Metric {
  return { ...of, options: METRIC_OPTIONS[of.id], score: (input, options) => of.score(of.input.parse(input), options as MetricOptions<Id>) };
}

const json = z.unknown() as z.ZodType<Json>;
const present = json.refine((value) => value !== undefined, 'is missing');
const flag = (fallback: boolean) => z.boolean().nullish().transform((value) => value ?? fallback);
const calls = z.object({ called: z.array(NamedCall), expected: z.array(NamedCall) });
const maybeCalls = z.array(NamedCall).nullish().transform((list) => list ?? []);

/** The house's own metrics, and public ones reproduced to the last digit. */
export const METRICS: readonly Metric[] = [
  metric({
    id: 'toolmark.single_turn', reference: 'Toolmark', version: String(SCORING_VERSION), meaning: 'The verdict on one reply: tool, parameters, overall.',
    input: SingleTurnInput, score: scoreSingleTurn,
  }),
  metric({
    id: 'toolmark.multi_turn', reference: 'Toolmark', version: String(SCORING_VERSION), meaning: 'The verdict on a chain of rounds.',
    input: MultiTurnInput, score: scoreMultiTurn,
  }),
  metric({
    id: 'ragas_tool_call_f1', reference: 'Ragas ToolCallF1', version: '0.4.3', meaning: 'F1 over the sets of whole calls; nothing expected and nothing called is 0.',
    input: calls, score: ({ called, expected }) => ragasToolCallF1(called, expected),
  }),
  metric({
    id: 'ragas_tool_call_accuracy', reference: 'Ragas ToolCallAccuracy', version: '0.4.3', meaning: 'Share of right arguments where the names agree as sequences, else 0.',
    input: calls, score: ({ called, expected }, options) => ragasToolCallAccuracy(called, expected, options),
  }),
  metric({
    id: 'axion_tool_correctness', reference: 'Axion ToolCorrectness', version: '2026-08', meaning: 'Share of expected tools that were called, arguments on request.',
    input: z.object({ called: maybeCalls, expected: maybeCalls }), score: ({ called, expected }, options) => axionToolCorrectness(called, expected, options),
  }),
  metric({
    id: 'axion_similarity', reference: 'Axion value similarity', version: '2026-08', meaning: 'Similarity of two argument values.',
    input: z.object({ called: present, expected: present }), score: ({ called, expected }) => ({ score: axionSimilarity(called, expected) }),
  }),
  metric({
    id: 'difflib_ratio', reference: 'Python difflib.SequenceMatcher', version: '3.11', meaning: 'Ratcliff/Obershelp ratio of two strings, autojunk on.',
    input: z.object({ a: z.string(), b: z.string() }), score: ({ a, b }) => ({ score: sequenceRatio(a, b) }),
  }),
  metric({
    id: 'deepeval_tool_correctness', reference: 'DeepEval ToolCorrectnessMetric', version: '4.1', meaning: 'Share of expected tools that were called, without the LLM part.',
    input: z.object({ called: z.array(DeepEvalCall), expected: z.array(DeepEvalCall) }), score: ({ called, expected }, options) => deepevalToolCorrectness(called, expected, options),
  }),
  metric({
    id: 'bfcl_ast', reference: 'BFCL AST checker', version: 'v4', meaning: 'Whether the calls are among the possible answers (Python categories).',
    input: z.object({
      category: z.string(), functions: z.array(jsonObject).nullish().transform((list) => list ?? []), model_output: json,
      possible_answer: z.array(jsonObject).nullish().transform((list) => list ?? []), underscore_to_dot: flag(false), decode_failed: flag(false),
    }),
    score: (input) => {
      const verdict = bfclAst({ ...input, model_output: input.model_output ?? null });
      return { score: Number(verdict.valid), ...verdict };
    },
  }),
  metric({
    id: 'agentevals_trajectory_match', reference: 'agentevals trajectory match', version: '0.0.9', meaning: 'Whether the trajectory of calls matches a reference trajectory.',
    input: z.object({ outputs: z.array(jsonObject), reference_outputs: z.array(jsonObject) }),
    score: ({ outputs, reference_outputs }, options) => {
      const match = agentevalsTrajectoryMatch(outputs, reference_outputs, options);
      return { score: Number(match), match };
    },
  }),
  metric({
    id: 'promptfoo_tool_call_f1', reference: 'promptfoo tool-call-f1', version: '0.123', meaning: 'F1 over the sets of tool names.',
    input: z.object({ output: json, expected: z.union([z.string(), z.array(json)]) }),
    score: ({ output, expected }, options) => promptfooToolCallF1(output, expected, options),
  }),
  metric({
    id: 'pass_hat_k', reference: 'tau2-bench pass^k', version: 'a2c0247', meaning: 'Chance that k drawn trials all succeed.',
    input: z.preprocess(lossyNumbers, z.union([z.object({ trials: z.int().min(0).max(1_000_000), successes: z.int().min(0), k: z.int().min(0) }), z.object({ reward: z.number() })])),
    score: (input) => {
      if ('reward' in input) {
        const successful = input.reward >= 1 - 1e-6 && input.reward <= 1 + 1e-6;
        return { score: Number(successful), successful };
      }
      const { trials, successes, k } = input;
      if (successes > trials) throw new Error(`${successes} successes of ${trials} trials.`);
      const pass_hat_k = passHatK(trials, successes, k);
      return { score: pass_hat_k, pass_hat_k, pass_at_k: passAtK(trials, successes, k) };
    },
  }),
];

const byId = new Map<string, Metric>(METRICS.map((one) => [one.id, one]));

/**
 * Scores one input with a metric. Pure. What the input is, each metric's `input` says; `metric-input.ts` makes it of a case
 * and what was answered.
 * @param options null and what the metric does not know are passed over: recorded options of other tools hold more
 * @throws Error (a ZodError when the input or the options do not fit)
 */
export function scoreMetric(id: string, options: unknown, input: unknown): MetricScore {
  const found = byId.get(id);
  if (!found || !isMetricId(id)) throw new Error(`No metric "${id}". Metrics: ${METRIC_IDS.join(', ')}.`);
  return found.score(input, METRIC_OPTIONS[id].parse(known(METRIC_OPTIONS[id], lossyNumbers(options ?? {}))));
}

function known(schema: z.ZodObject, options: unknown): unknown {
  if (!isObject(options)) return options;
  return Object.fromEntries(Object.entries(options).flatMap(([key, value]) => (value !== null && Object.hasOwn(schema.shape, key) ? [[key, asReference(key, value)]] : [])));
}

/** What the references take besides the names in their documentation. */
function asReference(key: string, value: Json): Json {
  // Axion: any other strategy is "exact". DeepEval: members of an enum, which print in capitals.
  if (key === 'parameter_matching_strategy') return value === 'subset' || value === 'fuzzy' ? value : 'exact';
  if (key === 'evaluation_params' && Array.isArray(value)) return value.map((name) => (typeof name === 'string' ? name.toLowerCase() : name));
  return value;
}
