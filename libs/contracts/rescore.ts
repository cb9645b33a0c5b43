import { z } from 'zod';
import { ScoringConfig, ScoringMode } from './case.js';
import { JobStatus } from './job.js';
import { MetricAsked, type RunMetric } from './metric.js';
import { id, time } from './page.js';
import { Summary } from './summary.js';
import { jsonObject } from './tool.js';

/** Scores the stored replies of a run again. What is left out stays as the run, its suite and its cases have it. */
export const RescoreInput = z
  .strictObject({
    metrics: z.array(MetricAsked).max(20).nullable().default(null),
    pass_threshold: z.number().min(0).max(1).nullable().default(null),
    /** For every case. As in a case, `scoring_config` has precedence. */
    param_scoring: ScoringMode.nullable().default(null),
    /** In place of the `scoring_config` of every case and of every expected call. */
    scoring_config: ScoringConfig.nullable().default(null),
  })
  .meta({ id: 'RescoreInput' });
export type RescoreInput = z.infer<typeof RescoreInput>;
/** As it is kept: the metrics are those that are computed. */
export type RescoreOptions = Omit<RescoreInput, 'metrics'> & { metrics: RunMetric[] };

export const RescoreSubmitted = z.object({ job_id: id, rescore_id: id, eval_id: id, status: z.literal('submitted') }).meta({ id: 'RescoreSubmitted' });

/** A second set of verdicts of a run; its results are those of the run with `?rescore_id=`. */
export const Rescore = z
  .object({
    id,
    eval_id: id,
    job_id: id,
    status: JobStatus,
    options: jsonObject,
    scoring_version: z.int(),
    score: z.number().nullable(),
    summaries: z.array(Summary),
    created_at: time,
  })
  .meta({ id: 'Rescore' });
export type Rescore = z.infer<typeof Rescore>;
