import { z } from 'zod';
import { named } from './named.js';
import type { JsonObject } from './json/json.js';
import { jsonObject } from './tool.js';

/** Allowed names for the scores of a metric: see `as`. */
export const METRIC_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const metricId = z
  .string()
  .max(200)
  .meta({ description: 'The id of a metric. `GET /api/metrics` lists them.', examples: ['ragas_tool_call_f1'] });
/** A metric as a run requests it. `checkMetrics` of libs/scoring checks that it exists and has these options. */
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
      options: jsonObject
        .default({})
        .describe(
          'Options of the metric, as `GET /api/metrics` describes them. Options that are left out have ' +
            'their defaults.',
        ),
    }),
  ])
  .meta({
    id: 'MetricAsked',
    description: 'A metric that scores the results of a run. A bare id selects it with its defaults.',
  });
export type MetricAsked = z.infer<typeof MetricAsked>;

export const MetricInfo = named('MetricInfo', 'A metric that Toolmark computes.', {
  id: z.string().describe('The id of the metric in runs and in `toolmark score`.'),
  reference: z.string().describe('The project that defines the metric.'),
  version: z.string().describe('The version of the reference whose scores it reproduces to the last digit.'),
  meaning: z.string().describe('The meaning of a score, in a sentence.'),
  options: jsonObject.describe('The JSON Schema of the options, with their defaults.'),
  input: jsonObject.describe(
    "The JSON Schema of the input, with Toolmark's names. docs/scoring.md lists other names of its " +
      'fields, and the formats of other tools.',
  ),
  example: jsonObject.describe('An input line for `toolmark score` that runs unchanged.'),
  not_in_runs: z.string().optional().describe('Why runs cannot compute it, and what to use instead.'),
});

/** A metric of a run, with its defaults filled in. */
export interface RunMetric {
  id: string;
  /** Missing in runs of earlier releases: see `metricName`. */
  as?: string;
  /** The version at the time of the request. Missing in runs of earlier releases. */
  version?: string;
  options: JsonObject;
}
/** The name under which the scores of a metric are stored. */
export const metricName = ({ id, as }: Pick<RunMetric, 'id' | 'as'>): string => as ?? id;
