import { z } from 'zod';
import { ScoringConfig, ScoringMode } from './case.js';
import { JobStatus } from './job.js';
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
      .meta({ description: 'The further metrics to compute; null for those of the run.' }),
    pass_threshold: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .default(null)
      .meta({ description: "The overall score with which a case passes; null for the suite's." }),
    param_scoring: ScoringMode.nullable()
      .default(null)
      .meta({
        description:
          'How expected values are compared, in every case; null for what each case says. As in a ' +
          'case, `scoring_config` counts more.',
      }),
    scoring_config: ScoringConfig.nullable().default(null).meta({
      description:
        'In place of the `scoring_config` of every case and of every expected call; null for what each says.',
    }),
  })
  .meta({
    id: 'RescoreInput',
    description:
      'Scores the stored replies of a run again. What is left out stays as the run, its suite and its cases have it.',
  });
export type RescoreInput = z.infer<typeof RescoreInput>;
/** The options as they are stored, with the metrics resolved. */
export type RescoreOptions = Omit<RescoreInput, 'metrics'> & { metrics: RunMetric[] };

export const RescoreSubmitted = z
  .object({
    job_id: id.meta({ description: 'The job that carries it out.' }),
    rescore_id: id.meta({ description: 'The rescore: results of the run have its verdicts with `?rescore_id=`.' }),
    eval_id: id.meta({ description: 'The run that is scored again.' }),
    status: z.literal('submitted').meta({ description: 'Always `submitted`; from here on the job has the status.' }),
  })
  .meta({ id: 'RescoreSubmitted', description: 'A rescore that was accepted. It goes on in the background.' });
export type RescoreSubmitted = z.infer<typeof RescoreSubmitted>;

export const Rescore = z
  .object({
    id: id.meta({ description: 'The id of the rescore.' }),
    eval_id: id.meta({ description: 'The run whose replies are scored again.' }),
    job_id: id.meta({ description: 'The job that carries it out.' }),
    status: JobStatus,
    options: jsonObject.meta({ description: 'What was asked for, with the metrics that are computed.' }),
    scoring_version: z.int().meta({
      description: 'Of the scoring that made its verdicts; rises whenever a reply could score differently than before.',
    }),
    score: z.number().nullable().meta({
      description: "Mean over the models' overall means, 0..1; null until it is done, or when nothing is scored.",
    }),
    summaries: z.array(Summary).meta({ description: 'The figures of each model, once it is done.' }),
    created_at: time.meta({ description: 'When it was submitted.' }),
  })
  .meta({
    id: 'Rescore',
    description: 'A second set of verdicts of a run; its results are those of the run with `?rescore_id=`.',
  });
export type Rescore = z.infer<typeof Rescore>;
