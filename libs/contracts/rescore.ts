import { z } from 'zod';
import { named } from './named.js';
import { ScoringConfig, ScoringMode } from './case.js';
import { JobStatus } from './job-status.js';
import { MetricAsked, type RunMetric } from './metric.js';
import { id, time } from './page.js';
import { Summary } from './summary.js';
import { jsonObject } from './tool.js';

export const RescoreInput = z
  .strictObject({
    metrics: z
      .array(MetricAsked)
      .max(20)
      .nullable()
      .default(null)
      .describe('The further metrics to compute; null for those of the run.'),
    pass_threshold: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .default(null)
      .describe("The overall score from which a case passes; null for the suite's."),
    param_scoring: ScoringMode.nullable()
      .default(null)
      .describe(
        "How expected values are compared, in every case; null for each case's own setting. As in a " +
          'case, `scoring_config` takes precedence.',
      ),
    scoring_config: ScoringConfig.nullable()
      .default(null)
      .describe('Replaces the `scoring_config` of every case and of every expected call; null for their own settings.'),
  })
  .meta({
    id: 'RescoreInput',
    description:
      'Scores the stored replies of a run again. Fields that are left out keep the settings of the ' +
      'run, its suite and its cases.',
  });
export type RescoreInput = z.infer<typeof RescoreInput>;
/** The options as they are stored, with the metrics resolved. */
export type RescoreOptions = Omit<RescoreInput, 'metrics'> & { metrics: RunMetric[] };

export const RescoreSubmitted = named('RescoreSubmitted', 'A rescore that was accepted. It runs in the background.', {
  job_id: id.describe('The job of the rescore.'),
  rescore_id: id.describe('The id of the rescore. Results of the run show its verdicts with `?rescore_id=`.'),
  eval_id: id.describe('The run that is scored again.'),
  status: z.literal('submitted').describe('Always `submitted`. The job has the current status.'),
});
export type RescoreSubmitted = z.infer<typeof RescoreSubmitted>;

export const Rescore = z
  .object({
    id: id.describe('The id of the rescore.'),
    eval_id: id.describe('The run whose replies are scored again.'),
    job_id: id.describe('The job of the rescore.'),
    status: JobStatus,
    options: jsonObject.describe('The request, with the metrics that are computed.'),
    scoring_version: z
      .int()
      .describe(
        'The version of the scoring that made the verdicts. It rises whenever a reply could score ' +
          'differently than before.',
      ),
    score: z
      .number()
      .nullable()
      .describe("Mean over the models' overall means, 0..1; null until it is done, or when nothing is scored."),
    summaries: z.array(Summary).describe('The figures of each model, once it is done.'),
    created_at: time.describe('When it was submitted.'),
  })
  .meta({
    id: 'Rescore',
    description: 'A second set of verdicts of a run. Read its results from the run with `?rescore_id=`.',
  });
export type Rescore = z.infer<typeof Rescore>;
