import { z } from 'zod';
import { lossyNumbers, type JsonObject } from './json.js';
import { insteadOf } from './nearest.js';
import { pointer, type InputError } from './problem.js';
import { jsonObject } from './tool.js';

const none = z.strictObject({});
const house = z.strictObject({ pass_threshold: z.number().min(0).max(1).default(1) });
const ARGUMENT_MODES = ['exact', 'ignore', 'subset', 'superset'] as const;

/** The options of every metric under its id, with their defaults. What each metric means is said by `METRICS` in libs/scoring. */
export const METRIC_OPTIONS = {
  'toolmark.single_turn': house,
  'toolmark.multi_turn': house,
  ragas_tool_call_f1: none,
  ragas_tool_call_accuracy: z.strictObject({ strict_order: z.boolean().default(true) }),
  axion_tool_correctness: z.strictObject({
    check_parameters: z.boolean().default(false),
    strict_order: z.boolean().default(false),
    parameter_matching_strategy: z.enum(['exact', 'subset', 'fuzzy']).default('exact'),
    fuzzy_threshold: z.number().default(0.8),
    scoring: z.enum(['recall', 'precision', 'f1']).default('recall'),
    threshold: z.number().default(0.5),
  }),
  axion_similarity: none,
  difflib_ratio: none,
  deepeval_tool_correctness: z.strictObject({
    evaluation_params: z.array(z.enum(['input_parameters', 'output'])).default([]),
    should_exact_match: z.boolean().default(false),
    should_consider_ordering: z.boolean().default(false),
    threshold: z.number().default(0.5),
    strict_mode: z.boolean().default(false),
  }),
  bfcl_ast: none,
  agentevals_trajectory_match: z.strictObject({
    trajectory_match_mode: z.enum(['strict', 'unordered', 'subset', 'superset']).default('strict'),
    tool_args_match_mode: z.enum(ARGUMENT_MODES).default('exact'),
    tool_args_match_overrides: z.record(z.string(), z.union([z.enum(ARGUMENT_MODES), z.array(z.string())])).nullable().default(null),
  }),
  promptfoo_tool_call_f1: z.strictObject({ threshold: z.number().default(1), inverse: z.boolean().default(false) }),
  pass_hat_k: none,
} satisfies Record<string, z.ZodObject>;

export type MetricId = keyof typeof METRIC_OPTIONS;
export type MetricOptions<Id extends MetricId> = z.output<(typeof METRIC_OPTIONS)[Id]>;
export const METRIC_IDS = Object.keys(METRIC_OPTIONS) as MetricId[];
export const isMetricId = (id: string): id is MetricId => Object.hasOwn(METRIC_OPTIONS, id);

/** Metrics that score no calls, and what a run has in their place. */
export const NOT_IN_RUNS: Partial<Record<MetricId, string>> = {
  axion_similarity: 'It compares two values, not calls. Use "toolmark score", or "axion_tool_correctness" with {"check_parameters": true, "parameter_matching_strategy": "fuzzy"}.',
  difflib_ratio: 'It compares two strings, not calls. Use "toolmark score", or cases with {"scoring_config": {"mode": "fuzzy"}}, which compare by it.',
  pass_hat_k: 'It counts over the samples of a case. Every summary has it, as pass_hat_k: run with "samples" above 1.',
};
const RUN_METRIC_IDS = METRIC_IDS.filter((id) => !NOT_IN_RUNS[id]);

const metricId = z.string().max(200).meta({ description: 'The id of a metric. `GET /api/metrics` lists them.', examples: ['ragas_tool_call_f1'] });
/** A metric as a run asks for it. Whether it exists, and has these options, is `checkMetrics`. */
export const MetricAsked = z
  .union([
    metricId,
    z.strictObject({
      id: metricId,
      as: z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1 to 64 letters, digits, "_", "." and "-"').optional().meta({
        description: 'The name of its scores in results, summaries and exports; its id when left out. With names of their own, one metric scores a run with several options.',
        examples: ['f1_strict'],
      }),
      options: jsonObject.default({}).meta({ description: 'Options of the metric, as `GET /api/metrics` describes them. Those left out have their defaults.' }),
    }),
  ])
  .meta({ id: 'MetricAsked', description: 'A metric that scores the results of a run. A bare id asks for it with its defaults.' });
export type MetricAsked = z.infer<typeof MetricAsked>;

/** What `GET /api/metrics` says of a metric. */
export const MetricInfo = z
  .object({ id: z.string(), reference: z.string(), version: z.string(), meaning: z.string(), /** JSON Schema. */ options: jsonObject })
  .meta({ id: 'MetricInfo' });

/** A metric of a run, its defaults filled in. */
export interface RunMetric {
  id: MetricId;
  /** Runs of earlier releases have none: see `nameOf`. */
  as?: string;
  /** Of what it was when it was asked for; runs of earlier releases have none. */
  version?: string;
  options: JsonObject;
}
/** Under which its scores stand. */
export const nameOf = ({ id, as }: Pick<RunMetric, 'id' | 'as'>): string => as ?? id;

/** The metrics that a run asks for, ready to be kept with it, and what is wrong with them; paths are pointers into the list. */
export function checkMetrics(asked: readonly MetricAsked[]): { metrics: RunMetric[]; errors: InputError[] } {
  const metrics: RunMetric[] = [];
  const errors: InputError[] = [];
  asked.forEach((one, index) => {
    const { id, as = id, options } = typeof one === 'string' ? { id: one, options: {} } : one;
    const fail = (path: PropertyKey[], message: string): void => void errors.push({ path: pointer([index, ...path]), message });
    const failId = (message: string): void => fail(typeof one === 'string' ? [] : ['id'], message);
    if (!isMetricId(id)) return failId(`No metric "${id}". ${insteadOf(id, RUN_METRIC_IDS, 'a run\'s metrics')}`);
    if (NOT_IN_RUNS[id]) return failId(`"${id}" cannot score a run. ${NOT_IN_RUNS[id]}`);
    if (as !== id && isMetricId(as)) return fail(['as'], `"${as}" is the id of another metric. Take another name.`);
    if (metrics.some((metric) => metric.as === as)) return fail(['as'], `"${as}" is there twice. Give one of the two another name with "as".`);
    const schema: z.ZodObject = METRIC_OPTIONS[id];
    const parsed = schema.safeParse(lossyNumbers(options));
    if (parsed.success) return void metrics.push({ id, as, options: parsed.data as JsonObject });
    const names = Object.keys(schema.shape);
    for (const issue of parsed.error.issues) {
      if (issue.code !== 'unrecognized_keys') fail(['options', ...issue.path], issue.message);
      else for (const key of issue.keys) fail(['options', key], `"${id}" has no option "${key}". ${names.length ? `Its options: ${names.join(', ')}.` : 'It has none.'}`);
    }
  });
  // A worker of the release before keeps one score of an id, the last one's: let that be no other configuration's.
  metrics.sort((a, b) => Number(a.as === a.id) - Number(b.as === b.id));
  return { metrics, errors };
}
