import { z } from 'zod';
import { named } from './named.js';
import { ScoringConfig, ScoringMode } from './scoring-config.js';
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
    suite_version: z
      .int()
      .min(1)
      .max(2_147_483_647)
      .nullable()
      .default(null)
      .meta({
        description:
          "The version of the suite whose cases, tools and pass threshold score the replies; null for the run's own. " +
          'Cases that it asks otherwise, or does not have, are left out (`unmatched` of the rescore).',
        examples: [3],
      }),
  })
  .meta({
    id: 'RescoreInput',
    description:
      'Scores the stored replies of a run again. Fields that are left out keep the settings of the ' +
      'run, its suite and its cases.',
  });
export type RescoreInput = z.infer<typeof RescoreInput>;
/** The options as they are stored, with the metrics resolved. Those of earlier releases name no version. */
export type RescoreOptions = Omit<RescoreInput, 'metrics' | 'suite_version'> & {
  metrics: RunMetric[];
  suite_version?: number | null;
};

export const RescoreSubmitted = named('RescoreSubmitted', 'A rescore that was accepted. It runs in the background.', {
  job_id: id.describe('The job of the rescore.'),
  rescore_id: id.describe('The id of the rescore. Results of the run show its verdicts with `?rescore_id=`.'),
  eval_id: id.describe('The run that is scored again.'),
  status: z.literal('submitted').describe('Always `submitted`. The job has the current status.'),
});
export type RescoreSubmitted = z.infer<typeof RescoreSubmitted>;

/** How many unmatched cases are named. */
export const MAX_NAMED_UNMATCHED = 100;

export const Unmatched = z.object({
  count: z.int().describe('How many cases of the run have results that are left out.'),
  results: z.int().describe('How many results are left out.'),
  cases: z
    .array(
      z.object({
        id: id.describe('The id of the case in the run.'),
        name: z.string().nullable().describe('Its name; null when it has none.'),
      }),
    )
    .describe(`The first ${MAX_NAMED_UNMATCHED} of these cases, in the order of the suite.`),
});
export type Unmatched = z.infer<typeof Unmatched>;

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
    suite_version: z.int().describe("The version of the suite that scores it: the run's own, or another one."),
    unmatched: Unmatched.nullable().describe(
      'Cases that the version does not have or asks otherwise, and chains that ended before the call that it ' +
        "expects. They are in no figure. Null until it is done, and with the run's own version.",
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
