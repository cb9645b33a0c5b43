import { z } from 'zod';
import { inputFaults } from './input-faults.js';
import { lossyNumbers, type JsonObject } from './json.js';
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

/** A metric as a run asks for it. Whether it exists, and has these options, is `checkMetrics`. */
export const MetricAsked = z.strictObject({ id: z.string(), options: jsonObject.default({}) }).meta({ id: 'MetricAsked' });
export type MetricAsked = z.infer<typeof MetricAsked>;

/** What `GET /api/metrics` says of a metric. */
export const MetricInfo = z
  .object({
    id: z.string(), reference: z.string(), version: z.string(), meaning: z.string(), /** JSON Schema. */ options: jsonObject,
    input: jsonObject.meta({ description: 'JSON Schema of the input, as a line of `toolmark score` holds it. Other names of its fields, and the shapes of other tools, stand in docs/scoring.md' }),
    example: jsonObject.meta({ description: 'A line of `toolmark score` that runs as it is' }),
  })
  .meta({ id: 'MetricInfo' });

/** A metric of a run, its defaults filled in. */
export interface RunMetric {
  id: MetricId;
  options: JsonObject;
}

/** The metrics that a run asks for, ready to be kept with it, and what is wrong with them; paths are pointers into the list. */
export function checkMetrics(asked: readonly MetricAsked[]): { metrics: RunMetric[]; errors: InputError[] } {
  const metrics: RunMetric[] = [];
  const errors: InputError[] = [];
  asked.forEach(({ id, options }, index) => {
    const fail = (path: PropertyKey[], message: string): void => void errors.push({ path: pointer([index, ...path]), message });
    if (!isMetricId(id)) return fail(['id'], `No metric "${id}". Metrics: ${METRIC_IDS.join(', ')}.`);
    if (metrics.some((metric) => metric.id === id)) return fail(['id'], `"${id}" is asked for twice; a result has one score of each metric.`);
    const read = readOptions(id, options);
    if (!('errors' in read)) return void metrics.push({ id, options: read.options });
    errors.push(...read.errors.map(({ path, message }) => ({ path: pointer([index, 'options']) + path, message })));
  });
  return { metrics, errors };
}

/** The options of a metric, its defaults filled in, or what is wrong with them; paths are pointers into the options. */
export function readOptions(id: MetricId, options: JsonObject): { options: JsonObject } | { errors: InputError[] } {
  const schema: z.ZodObject = METRIC_OPTIONS[id];
  const parsed = schema.safeParse(lossyNumbers(options));
  if (parsed.success) return { options: parsed.data as JsonObject };
  const names = Object.keys(schema.shape);
  const unknown = (key: string): string => `"${id}" has no option "${key}". ${names.length ? `Its options: ${names.join(', ')}.` : 'It has none.'}`;
  return {
    errors: parsed.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => ({ path: pointer([key]), message: unknown(key) })) : inputFaults([issue])),
  };
}
