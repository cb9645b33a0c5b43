import { z } from 'zod';
import { toInputErrors } from './input/input-errors.js';
import { unwrapAllNumbers, type JsonObject } from './json/json.js';
import { suggestNames } from './input/nearest-names.js';
import { jsonPointer, type InputError } from './input/problem.js';
import { jsonObject } from './tool.js';

const none = z.strictObject({});
const house = z.strictObject({
  pass_threshold: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .meta({ description: 'The overall score from which a case passes.' }),
});
const ARGUMENT_MODES = ['exact', 'ignore', 'subset', 'superset'] as const;

/**
 * The options of every metric by its id, with their defaults. `METRICS` in libs/scoring says what each metric means.
 */
export const METRIC_OPTIONS = {
  'toolmark.single_turn': house,
  'toolmark.multi_turn': house,
  ragas_tool_call_f1: none,
  ragas_tool_call_accuracy: z.strictObject({
    strict_order: z.boolean().default(true).meta({
      description: 'Whether calls are compared in order. Otherwise both lists are sorted by names and arguments first.',
    }),
  }),
  axion_tool_correctness: z.strictObject({
    check_parameters: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether arguments have to match too, or only names.' }),
    strict_order: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether both lists must agree call by call, in which case the score is 0 or 1.' }),
    parameter_matching_strategy: z.enum(['exact', 'subset', 'fuzzy']).default('exact').meta({
      description:
        'Arguments match when they are equal, when the expected ones are among them, or when they are similar enough.',
    }),
    fuzzy_threshold: z
      .number()
      .default(0.8)
      .meta({ description: 'The mean similarity of the expected arguments from which a call matches, for `fuzzy`.' }),
    scoring: z
      .enum(['recall', 'precision', 'f1'])
      .default('recall')
      .meta({
        description:
          'What the score measures: the share of expected calls that were made (`recall`), the share of ' +
          'calls made that were expected (`precision`), or the harmonic mean of both (`f1`).',
      }),
    threshold: z.number().default(0.5).meta({ description: 'The score from which `pass` is true.' }),
  }),
  axion_similarity: none,
  difflib_ratio: none,
  deepeval_tool_correctness: z.strictObject({
    evaluation_params: z
      .array(z.enum(['input_parameters', 'output']))
      .default([])
      .meta({ description: 'What is compared beside names: the arguments, the outputs of the tools, or both.' }),
    should_exact_match: z
      .boolean()
      .default(false)
      .meta({
        description:
          'Whether both lists must agree call by call, in which case the score is 0 or 1. Takes ' +
          'precedence over `should_consider_ordering`.',
      }),
    should_consider_ordering: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether only calls in the expected order count.' }),
    threshold: z.number().default(0.5).meta({ description: 'The score from which `success` is true.' }),
    strict_mode: z
      .boolean()
      .default(false)
      .meta({ description: 'Sets the threshold to 1, and every lower score to 0.' }),
  }),
  bfcl_ast: none,
  agentevals_trajectory_match: z.strictObject({
    trajectory_match_mode: z
      .enum(['strict', 'unordered', 'subset', 'superset'])
      .default('strict')
      .meta({
        description:
          'How the calls must agree with the reference: message by message (`strict`), in any order ' +
          '(`unordered`), with no calls but those of the reference (`subset`), or with at least those of ' +
          'the reference (`superset`).',
      }),
    tool_args_match_mode: z.enum(ARGUMENT_MODES).default('exact').meta({
      description:
        "Whether arguments must be equal, are ignored, or must be a subset or a superset of the reference's.",
    }),
    tool_args_match_overrides: z
      .record(z.string(), z.union([z.enum(ARGUMENT_MODES), z.array(z.string())]))
      .nullable()
      .default(null)
      .meta({
        description:
          'For single tools, by name: another mode, or a list of dotted keys, which alone must be equal. ' +
          'An empty list means no override. Null treats all tools alike.',
      }),
  }),
  promptfoo_tool_call_f1: z.strictObject({
    threshold: z.number().default(1).meta({ description: 'The score from which `pass` is true.' }),
    inverse: z.boolean().default(false).meta({ description: 'Inverts `pass`. The score does not change.' }),
  }),
  pass_hat_k: none,
} satisfies Record<string, z.ZodObject>;

export type MetricId = keyof typeof METRIC_OPTIONS;
export type MetricOptions<Id extends MetricId> = z.output<(typeof METRIC_OPTIONS)[Id]>;
export const METRIC_IDS = Object.keys(METRIC_OPTIONS) as MetricId[];
export const isMetricId = (id: string): id is MetricId => Object.hasOwn(METRIC_OPTIONS, id);

/** Metrics that do not score calls, and what to use in a run instead. */
export const METRICS_NOT_IN_RUNS: Partial<Record<MetricId, string>> = {
  axion_similarity:
    'It compares two values, not calls. Use "toolmark score", or "axion_tool_correctness" with ' +
    '{"check_parameters": true, "parameter_matching_strategy": "fuzzy"}.',
  difflib_ratio:
    'It compares two strings, not calls. Use "toolmark score", or cases with {"scoring_config": ' +
    '{"mode": "fuzzy"}}, which compare by it.',
  pass_hat_k: 'It counts over the samples of a case. Every summary has it, as pass_hat_k: run with "samples" above 1.',
};
const RUN_METRIC_IDS = METRIC_IDS.filter((id) => !METRICS_NOT_IN_RUNS[id]);

/** What the scores of a metric may be called: see `as`. */
export const METRIC_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const metricId = z
  .string()
  .max(200)
  .meta({ description: 'The id of a metric. `GET /api/metrics` lists them.', examples: ['ragas_tool_call_f1'] });
/** A metric as a run requests it. `checkMetrics` checks that it exists and has these options. */
export const MetricAsked = z
  .union([
    metricId,
    z.strictObject({
      id: metricId,
      as: z
        .string()
        .regex(METRIC_NAME, 'must be 1 to 64 letters, digits, "_", "." and "-"')
        .optional()
        .meta({
          description:
            'The name of its scores in results, summaries and exports. Defaults to the id. With different ' +
            'names, a run can use one metric with several sets of options.',
          examples: ['f1_strict'],
        }),
      options: jsonObject.default({}).meta({
        description:
          'Options of the metric, as `GET /api/metrics` describes them. Options that are left out have ' +
          'their defaults.',
      }),
    }),
  ])
  .meta({
    id: 'MetricAsked',
    description: 'A metric that scores the results of a run. A bare id selects it with its defaults.',
  });
export type MetricAsked = z.infer<typeof MetricAsked>;

export const MetricInfo = z
  .object({
    id: z.string().meta({ description: 'The id of the metric in runs and in `toolmark score`.' }),
    reference: z.string().meta({ description: 'The project that defines the metric.' }),
    version: z
      .string()
      .meta({ description: 'The version of the reference whose scores it reproduces to the last digit.' }),
    meaning: z.string().meta({ description: 'The meaning of a score, in a sentence.' }),
    options: jsonObject.meta({ description: 'The JSON Schema of the options, with their defaults.' }),
    input: jsonObject.meta({
      description:
        "The JSON Schema of the input, with Toolmark's names. docs/scoring.md lists other names of its " +
        'fields, and the formats of other tools.',
    }),
    example: jsonObject.meta({ description: 'An input line for `toolmark score` that runs as it is.' }),
  })
  .meta({ id: 'MetricInfo', description: 'A metric that Toolmark computes.' });

/** A metric of a run, with its defaults filled in. */
export interface RunMetric {
  id: MetricId;
  /** Missing in runs of earlier releases: see `metricName`. */
  as?: string;
  /** The version at the time of the request. Missing in runs of earlier releases. */
  version?: string;
  options: JsonObject;
}
/** The name under which the scores of a metric are stored. */
export const metricName = ({ id, as }: Pick<RunMetric, 'id' | 'as'>): string => as ?? id;

/**
 * Checks the metrics that a run requests. Returns them ready to be stored with the run, and what is wrong with them.
 * Paths are pointers into the list.
 */
export function checkMetrics(asked: readonly MetricAsked[]): { metrics: RunMetric[]; errors: InputError[] } {
  const metrics: RunMetric[] = [];
  const errors: InputError[] = [];
  asked.forEach((one, index) => {
    const { id, as = id, options } = typeof one === 'string' ? { id: one, options: {} } : one;
    const fail = (path: PropertyKey[], message: string): void =>
      void errors.push({ path: jsonPointer([index, ...path]), message });
    const failId = (message: string): void => fail(typeof one === 'string' ? [] : ['id'], message);
    if (!isMetricId(id)) return failId(`No metric "${id}". ${suggestNames(id, RUN_METRIC_IDS, "a run's metrics")}`);
    if (METRICS_NOT_IN_RUNS[id]) return failId(`"${id}" cannot score a run. ${METRICS_NOT_IN_RUNS[id]}`);
    if (as !== id && isMetricId(as)) return fail(['as'], `"${as}" is the id of another metric. Take another name.`);
    if (metrics.some((metric) => metric.as === as))
      return fail(['as'], `"${as}" is there twice. Give one of the two another name with "as".`);
    const read = readOptions(id, options);
    if (!('errors' in read)) return void metrics.push({ id, as, options: read.options });
    errors.push(...read.errors.map(({ path, message }) => ({ path: jsonPointer([index, 'options']) + path, message })));
  });
  // A worker of the previous release keeps one score per id, the last one. A metric that goes by its own id comes
  // last, so that the kept score is not that of another configuration.
  metrics.sort((a, b) => Number(a.as === a.id) - Number(b.as === b.id));
  return { metrics, errors };
}

/**
 * The options of a metric with defaults filled in, or what is wrong with them. Paths are pointers into the options.
 */
export function readOptions(id: MetricId, options: JsonObject): { options: JsonObject } | { errors: InputError[] } {
  const schema: z.ZodObject = METRIC_OPTIONS[id];
  const parsed = schema.safeParse(unwrapAllNumbers(options));
  if (parsed.success) return { options: parsed.data as JsonObject };
  const names = Object.keys(schema.shape);
  const unknown = (key: string): string =>
    `"${id}" has no option "${key}". ${names.length ? `Its options: ${names.join(', ')}.` : 'It has none.'}`;
  return {
    errors: parsed.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ path: jsonPointer([key]), message: unknown(key) }))
        : toInputErrors([issue]),
    ),
  };
}
