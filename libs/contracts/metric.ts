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
    .meta({ description: 'The overall score with which a case passes.' }),
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
      description:
        'Whether calls are compared in their order; otherwise both lists are sorted by names and arguments first.',
    }),
  }),
  axion_tool_correctness: z.strictObject({
    check_parameters: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether arguments have to match too, or names alone.' }),
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
      .meta({ description: 'Mean similarity of the expected arguments from which a call matches, for `fuzzy`.' }),
    scoring: z.enum(['recall', 'precision', 'f1']).default('recall').meta({
      description:
        'Of what the score is a share: of the expected calls, of those that were made, or the harmonic mean of both.',
    }),
    threshold: z.number().default(0.5).meta({ description: 'The score that gives `pass`.' }),
  }),
  axion_similarity: none,
  difflib_ratio: none,
  deepeval_tool_correctness: z.strictObject({
    evaluation_params: z
      .array(z.enum(['input_parameters', 'output']))
      .default([])
      .meta({ description: 'What is compared beside names: the arguments, what the tools answered, or both.' }),
    should_exact_match: z
      .boolean()
      .default(false)
      .meta({
        description:
          'Whether both lists must agree call by call, in which case the score is 0 or 1. Counts ' +
          'more than `should_consider_ordering`.',
      }),
    should_consider_ordering: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether only calls in the expected order count.' }),
    threshold: z.number().default(0.5).meta({ description: 'The score that gives `success`.' }),
    strict_mode: z.boolean().default(false).meta({ description: 'Makes the threshold 1, and every lower score 0.' }),
  }),
  bfcl_ast: none,
  agentevals_trajectory_match: z.strictObject({
    trajectory_match_mode: z
      .enum(['strict', 'unordered', 'subset', 'superset'])
      .default('strict')
      .meta({
        description:
          'Whether the calls must be the same message by message, the same in any order, none but the ' +
          "reference's, or all of the reference's at least.",
      }),
    tool_args_match_mode: z.enum(ARGUMENT_MODES).default('exact').meta({
      description:
        "Whether arguments must be equal, are not looked at, or must be a part or a superset of the reference's.",
    }),
    tool_args_match_overrides: z
      .record(z.string(), z.union([z.enum(ARGUMENT_MODES), z.array(z.string())]))
      .nullable()
      .default(null)
      .meta({
        description:
          'By the name of a tool another mode, or a list of dotted keys that alone must be equal; an ' +
          'empty list is as none. Null: all tools alike.',
      }),
  }),
  promptfoo_tool_call_f1: z.strictObject({
    threshold: z.number().default(1).meta({ description: 'The score that gives `pass`.' }),
    inverse: z.boolean().default(false).meta({ description: 'Inverts `pass`, and leaves the score as it is.' }),
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
        .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1 to 64 letters, digits, "_", "." and "-"')
        .optional()
        .meta({
          description:
            'The name of its scores in results, summaries and exports; its id when left out. With ' +
            'names of their own, one metric scores a run with several options.',
          examples: ['f1_strict'],
        }),
      options: jsonObject.default({}).meta({
        description: 'Options of the metric, as `GET /api/metrics` describes them. Those left out have their defaults.',
      }),
    }),
  ])
  .meta({
    id: 'MetricAsked',
    description: 'A metric that scores the results of a run. A bare id asks for it with its defaults.',
  });
export type MetricAsked = z.infer<typeof MetricAsked>;

export const MetricInfo = z
  .object({
    id: z.string().meta({ description: 'The id by which runs and `toolmark score` ask for the metric.' }),
    reference: z.string().meta({ description: 'Whose metric it is.' }),
    version: z.string().meta({ description: 'The version of the reference that it agrees with, to the last digit.' }),
    meaning: z.string().meta({ description: 'What a score says, in a sentence.' }),
    options: jsonObject.meta({ description: 'The JSON Schema of its options, with their defaults.' }),
    input: jsonObject.meta({
      description:
        'The JSON Schema of its input, in our own names. Other names of its fields, and the shapes ' +
        'of other tools, stand in docs/scoring.md.',
    }),
    example: jsonObject.meta({ description: 'A line of `toolmark score` that runs as it is.' }),
  })
  .meta({ id: 'MetricInfo', description: 'A metric that there is.' });

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
