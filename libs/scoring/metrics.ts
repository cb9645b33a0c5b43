import { z } from 'zod';
import { toInputErrors } from '#lib/contracts/input/input-errors';
import { isObject, unwrapAllNumbers, type Json, type JsonObject } from '#lib/contracts/json/json';
import { METRIC_IDS, METRIC_OPTIONS, readOptions, type MetricId, type MetricOptions } from '#lib/contracts/metric';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import { jsonObject } from '#lib/contracts/tool';
import { SCORING_VERSION } from '#lib/contracts/verdict';
import { agentevalsTrajectoryMatch } from './compatible/agentevals.js';
import { axionSimilarity, axionToolCorrectness } from './compatible/axion.js';
import { bfclAst } from './compatible/bfcl.js';
import { NamedCall } from './compatible/named-call.js';
import { DeepEvalCall, deepevalToolCorrectness } from './compatible/deepeval.js';
import { promptfooToolCallF1 } from './compatible/promptfoo.js';
import { ragasToolCallAccuracy } from './compatible/ragas-accuracy.js';
import { ragasToolCallF1 } from './compatible/ragas-f1.js';
import { MultiTurnInput, scoreMultiTurn, scoreSingleTurn, SingleTurnInput } from './house/house-metrics.js';
import type { SimilarityLookup } from './arguments/compare-leaves.js';
import { passAtK, passHatK } from './statistics/pass-at-k.js';
import { sequenceRatio } from './arguments/sequence-ratio.js';

/** The score of a metric for one input. Other fields are those of the reference (`valid`, `tp`, ...). */
export interface MetricScore {
  score: number | null;
  [field: string]: unknown;
}

/** The definition of a metric, as `GET /api/metrics` lists it. */
export interface MetricDefinition {
  id: MetricId;
  reference: string;
  version: string;
  meaning: string;
  /** A strict object with defaults. `z.toJSONSchema(options, { io: 'input' })` prints it. */
  options: z.ZodObject;
  /** A strict schema with our names. `libs/recorded` reads the names of other tools. */
  input: z.ZodType;
  /** An input that can be scored, with options if they make the example clearer. */
  example: { options?: JsonObject; input: JsonObject };
}
interface Metric extends MetricDefinition {
  score(input: unknown, options: JsonObject, similarities?: SimilarityLookup): MetricScore;
}

function metric<Id extends MetricId, I extends z.ZodType>(
  of: Omit<MetricDefinition, 'options'> & {
    id: Id;
    input: I;
    score: (input: z.output<I>, options: MetricOptions<Id>, similarities?: SimilarityLookup) => MetricScore;
  },
): Metric {
  return {
    ...of,
    options: METRIC_OPTIONS[of.id],
    score: (input, options, similarities) =>
      of.score(readInput(of, input) as z.output<I>, options as MetricOptions<Id>, similarities),
  };
}

/** @throws Error that names each wrong field, and shows an example of the input */
function readInput(
  { id, input: schema, example }: Pick<MetricDefinition, 'id' | 'input' | 'example'>,
  input: unknown,
): unknown {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const faults = toInputErrors(parsed.error.issues);
  const isShape = faults.some(({ path }) => path.lastIndexOf('/') <= 0);
  const messages = faults.map(({ path, message }) => `/input${path} ${message}`).join('; ');
  throw new Error(
    `${messages}${/[.?]$/.test(messages) ? '' : '.'}${isShape ? ` ${describeExample({ id, example })}` : ''}`,
  );
}

/** A sentence that shows what a metric takes. */
export const describeExample = ({ id, example }: Pick<MetricDefinition, 'id' | 'example'>): string =>
  `The input of ${id}, for example: ${JSON.stringify(example.input)}`;

const json = z.unknown() as z.ZodType<Json>;
const present = json.refine((value) => value !== undefined, 'is missing');
const flag = (fallback: boolean) =>
  z
    .boolean()
    .nullish()
    .transform((value) => value ?? fallback);
const made = { description: 'The calls that were made, in order.' };
const wanted = { description: 'The calls that were expected.' };
const calls = z.strictObject({ called: z.array(NamedCall).meta(made), expected: z.array(NamedCall).meta(wanted) });
const maybeCalls = z
  .array(NamedCall)
  .nullable()
  .transform((list) => list ?? []);
const bfclFunction = jsonObject.refine(
  (given) => !isObject(given) || typeof given.name === 'string',
  'must have a "name", and its "parameters" beside it',
);
const paris = { name: 'weather', arguments: { city: 'Paris' } };
const rome = { name: 'weather', arguments: { city: 'Rome' } };
const weather = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const news = { type: 'function', function: { name: 'news' } };
const replyWith = (...calls: { name: string; arguments: JsonObject }[]): JsonObject => ({
  role: 'assistant',
  tool_calls: calls.map((call) => ({ function: { ...call, arguments: JSON.stringify(call.arguments) } })),
});
const expectParis = { expected_tool: 'weather', expected_params: { city: 'Paris' } };

/** The house metrics, and public metrics reproduced to the last digit. */
export const METRICS: readonly Metric[] = [
  metric({
    id: 'toolmark.single_turn',
    reference: 'Toolmark',
    version: String(SCORING_VERSION),
    meaning: 'The verdict on one reply: tool, parameters, overall.',
    input: SingleTurnInput,
    score: scoreSingleTurn,
    example: { input: { case: expectParis, tools: [weather], reply: replyWith(paris) } },
  }),
  metric({
    id: 'toolmark.multi_turn',
    reference: 'Toolmark',
    version: String(SCORING_VERSION),
    meaning: 'The verdict on a chain of rounds.',
    input: MultiTurnInput,
    score: scoreMultiTurn,
    example: {
      input: {
        case: { ...expectParis, multi_turn: true, optimal_hops: 1 },
        tools: [weather, news],
        rounds: [{ reply: replyWith({ name: 'news', arguments: {} }) }, { reply: replyWith(paris) }],
      },
    },
  }),
  metric({
    id: 'ragas_tool_call_f1',
    reference: 'Ragas ToolCallF1',
    version: '0.4.3',
    meaning: 'F1 over the sets of whole calls; nothing expected and nothing called is 0.',
    input: calls,
    score: ({ called, expected }) => ragasToolCallF1(called, expected),
    example: { input: { called: [paris], expected: [paris, rome] } },
  }),
  metric({
    id: 'ragas_tool_call_accuracy',
    reference: 'Ragas ToolCallAccuracy',
    version: '0.4.3',
    meaning: 'Share of right arguments where the names agree as sequences, else 0.',
    input: calls,
    score: ({ called, expected }, options) => ragasToolCallAccuracy(called, expected, options),
    example: { options: { strict_order: false }, input: { called: [rome, paris], expected: [paris, rome] } },
  }),
  metric({
    id: 'axion_tool_correctness',
    reference: 'Axion ToolCorrectness',
    version: '2026-08',
    meaning: 'Share of expected tools that were called, arguments on request.',
    input: z.strictObject({ called: maybeCalls.meta(made), expected: maybeCalls.meta(wanted) }),
    example: { options: { check_parameters: true }, input: { called: [paris], expected: [paris, rome] } },
    score: ({ called, expected }, options) => axionToolCorrectness(called, expected, options),
  }),
  metric({
    id: 'axion_similarity',
    reference: 'Axion value similarity',
    version: '2026-08',
    meaning: 'Similarity of two argument values.',
    input: z.strictObject({ called: present, expected: present }),
    example: { input: { called: 'Paris', expected: 'Paris, France' } },
    score: ({ called, expected }) => ({ score: axionSimilarity(called, expected) }),
  }),
  metric({
    id: 'difflib_ratio',
    reference: 'Python difflib.SequenceMatcher',
    version: '3.11',
    meaning: 'Ratcliff/Obershelp ratio of two strings, autojunk on.',
    input: z.strictObject({ a: z.string(), b: z.string() }),
    example: { input: { a: 'Paris', b: 'Paris, France' } },
    score: ({ a, b }) => ({ score: sequenceRatio(a, b) }),
  }),
  metric({
    id: 'deepeval_tool_correctness',
    reference: 'DeepEval ToolCorrectnessMetric',
    version: '4.1',
    meaning: 'Share of expected tools that were called, without the LLM part.',
    input: z.strictObject({ called: z.array(DeepEvalCall).meta(made), expected: z.array(DeepEvalCall).meta(wanted) }),
    example: {
      options: { evaluation_params: ['input_parameters'] },
      input: {
        called: [{ name: 'weather', input_parameters: { city: 'Paris', days: 2 } }],
        expected: [{ name: 'weather', input_parameters: { city: 'Paris', days: 3 } }],
      },
    },
    score: ({ called, expected }, options) => deepevalToolCorrectness(called, expected, options),
  }),
  metric({
    id: 'bfcl_ast',
    reference: 'BFCL AST checker',
    version: 'v4',
    meaning: 'Whether the calls are among the possible answers (Python categories).',
    input: z.strictObject({
      category: z.string().meta({
        description:
          "BFCL's category, which decides how the calls are checked: simple, multiple, parallel, irrelevance, ...",
      }),
      functions: z
        .array(bfclFunction)
        .nullish()
        .meta({ description: "The functions that the model was offered, with BFCL's types." }),
      model_output: json.optional().meta({
        description:
          'The calls that were made, each {name: {argument: value}}; null or a text when they could not be decoded.',
      }),
      possible_answer: z
        .array(jsonObject)
        .nullish()
        .meta({
          description:
            'The calls that were expected, each {name: {argument: [acceptable values]}}; "" among ' +
            'them: it may be left out.',
        }),
      underscore_to_dot: flag(false).meta({
        description: "Whether the model's API takes no dots, so that names have underscores instead.",
      }),
      decode_failed: flag(false).meta({ description: 'Whether the output could not be decoded.' }),
    }),
    example: {
      input: {
        category: 'simple',
        functions: [
          {
            name: 'weather',
            parameters: { type: 'dict', properties: { city: { type: 'string' } }, required: ['city'] },
          },
        ],
        model_output: [{ weather: { city: 'paris' } }],
        possible_answer: [{ weather: { city: ['Paris', 'Paris, France'] } }],
      },
    },
    score: ({ functions, possible_answer, ...input }) => {
      if (input.model_output === undefined && !input.decode_failed)
        throw new Error('/input/model_output is missing. Give null when the output was not decoded.');
      if (!input.category.includes('relevance')) {
        if (functions === undefined)
          throw new Error(`/input/functions is missing, and the category "${input.category}" needs it.`);
        if (possible_answer === undefined)
          throw new Error(`/input/possible_answer is missing, and the category "${input.category}" needs it.`);
      }
      const verdict = bfclAst({
        ...input,
        functions: functions ?? [],
        possible_answer: possible_answer ?? [],
        model_output: input.model_output ?? null,
      });
      return { score: Number(verdict.valid), ...verdict };
    },
  }),
  metric({
    id: 'agentevals_trajectory_match',
    reference: 'agentevals trajectory match',
    version: '0.0.9',
    meaning: 'Whether the trajectory of calls matches a reference trajectory.',
    input: z.strictObject({
      outputs: z.array(jsonObject).meta({ description: 'The messages of the run, as chat completions have them.' }),
      reference_outputs: z.array(jsonObject).meta({ description: 'The messages that were expected.' }),
    }),
    example: {
      options: { trajectory_match_mode: 'superset' },
      input: {
        outputs: [{ role: 'user', content: 'Weather?' }, replyWith(rome, paris)],
        reference_outputs: [replyWith(paris)],
      },
    },
    score: ({ outputs, reference_outputs }, options) => {
      const match = agentevalsTrajectoryMatch(outputs, reference_outputs, options);
      return { score: Number(match), match };
    },
  }),
  metric({
    id: 'promptfoo_tool_call_f1',
    reference: 'promptfoo tool-call-f1',
    version: '0.123',
    meaning: 'F1 over the sets of tool names.',
    input: z.strictObject({
      output: present.meta({
        description: "What the model put out: its calls in any provider's words, or a text that holds them.",
      }),
      expected: z
        .union([z.string(), z.array(json)])
        .meta({ description: 'The names that were expected: a list, or a text with commas.' }),
    }),
    example: {
      input: {
        output: [{ type: 'function', function: { name: 'weather', arguments: '{}' } }],
        expected: ['weather', 'news'],
      },
    },
    score: ({ output, expected }, options) => promptfooToolCallF1(output, expected, options),
  }),
  metric({
    id: 'pass_hat_k',
    reference: 'tau2-bench pass^k',
    version: 'a2c0247',
    meaning: 'Chance that k drawn trials all succeed.',
    input: z.preprocess(
      unwrapAllNumbers,
      z.union([
        z.strictObject({ trials: z.int().min(0).max(1_000_000), successes: z.int().min(0), k: z.int().min(0) }),
        z.strictObject({ reward: z.number() }),
      ]),
    ),
    example: { input: { trials: 4, successes: 3, k: 2 } },
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

/** @throws Error that names the nearest metrics when there is none with this id */
export function findMetric(id: string): Metric {
  const found = byId.get(id);
  if (!found) throw new Error(`No metric "${id}". ${suggestNames(id, METRIC_IDS, 'the metrics')}`);
  return found;
}

/**
 * Resolves the options of a metric: fills in defaults, and accepts what the reference accepts.
 * @param given an option that is null has its default
 * @throws Error that names each wrong option or value, and the valid ones
 */
export function resolveOptions({ id }: MetricDefinition, given: unknown): JsonObject {
  if (given === undefined || given === null) return defaultsOf(id);
  if (!isObject(given))
    throw new Error(
      '/options must be an object of options: ' +
        `${Object.keys(METRIC_OPTIONS[id].shape).join(', ') || `"${id}" has none, so leave it out`}.`,
    );
  const known: z.ZodObject = METRIC_OPTIONS[id];
  const read = readOptions(
    id,
    Object.fromEntries(
      Object.entries(given).flatMap(([key, value]) =>
        value === null && Object.hasOwn(known.shape, key) ? [] : [[key, asReference(id, key, value)]],
      ),
    ),
  );
  // The message for an unknown option is a sentence of its own.
  if ('errors' in read)
    throw new Error(
      read.errors
        .map(({ path, message }) => (message.startsWith('"') ? message : `/options${path} ${message}.`))
        .join(' '),
    );
  return read.options;
}

const defaultsOf = (id: MetricId): JsonObject => (readOptions(id, {}) as { options: JsonObject }).options;

/**
 * Scores one input with a metric. `metric-input.ts` makes the input from a case and the replies to it, and
 * `libs/recorded` from files of other tools.
 * @param similarities needed for a house metric whose case compares by meaning
 * @throws Error when there is no such metric, or when the input or the options are wrong
 */
export function scoreMetric(
  id: string,
  options: unknown,
  input: unknown,
  similarities?: SimilarityLookup,
): MetricScore {
  const metric = findMetric(id);
  return metric.score(input, resolveOptions(metric, options), similarities);
}

/** Translates values that a reference takes although its documentation does not list them. */
function asReference(id: MetricId, key: string, value: Json): Json {
  // Axion takes any other strategy as "exact". DeepEval has an enum whose members print in capitals.
  if (id === 'axion_tool_correctness' && key === 'parameter_matching_strategy')
    return value === 'subset' || value === 'fuzzy' ? value : 'exact';
  if (id === 'deepeval_tool_correctness' && key === 'evaluation_params' && Array.isArray(value))
    return value.map((name) => (typeof name === 'string' ? name.toLowerCase() : name));
  return value;
}
