import { z } from 'zod';
import { described, named } from './named.js';
import { CurrentCost, TargetUsage } from './billing.js';
import { BaselineComparison, comparedModels, DeltaObstacle } from './comparison.js';
import { Actual, Estimate } from './estimate.js';
import { JobStatus } from './job-status.js';
import { ORCHESTRATION_TYPES } from './values/jobs.js';
import { markFilters, Marks } from './kept.js';
import { RUN_ORDERS, SEARCHED_RUNS } from './values/runs.js';
import { flag, id, PageQuery, severalOf, time } from './page.js';
import { RunTarget, RunWarning } from './run-target.js';
import { Summary } from './summary.js';
import { jsonObject } from './tool.js';

export const Submitted = named('Submitted', 'A run that was accepted. It goes on in the background.', {
  job_id: id.describe('The job of the run. `GET /api/jobs/{id}` shows its progress, and live events use this id.'),
  eval_id: id.describe('The id of the run. `GET /api/tool-eval/history/{id}` has its results.'),
  status: z.literal('submitted').describe('Always `submitted`. The job has the current status.'),
});
export type Submitted = z.infer<typeof Submitted>;

export const Orchestrator = z.object({
  type: z.enum(ORCHESTRATION_TYPES).meta({
    description:
      'The kind of work that made the run: a gate run, a tune of parameters or prompts, or a report of a judge.',
    example: 'gate',
  }),
  id: id.meta({
    description: 'Its id: that of the gate run, of the tune, or of the report.',
    example: '019aa8a2-5c1e-7000-8000-000000000091',
  }),
});
export type Orchestrator = z.infer<typeof Orchestrator>;

export const RunAgainst = named('RunAgainst', 'What a run changed, compared with the run that it is measured by.', {
  run: described('The run that it is compared with.', {
    id: id.describe('Its id.'),
    name: z.string().nullable().describe('Its display name; null for none.'),
    suite_version: z.int().describe('The version of the suite that it pinned.'),
    finished_at: time.nullable().describe('When it ended.'),
  }),
  kind: z
    .enum(['baseline', 'previous'])
    .describe(
      "`baseline`: the baseline of the run's experiment. `previous`: the run of the same suite with the same models " +
        'and parameters that ended last before this one.',
    ),
  ...BaselineComparison.pick({ verdict: true, difference: true, ci: true, n_cases: true, text: true }).shape,
  ...comparedModels,
});
export type RunAgainst = z.infer<typeof RunAgainst>;

export const RunTop = described('The best models of a run.', {
  targets: z
    .array(z.string())
    .describe('The models that may be the best, as `provider_key::model_id`, highest mean first: several tie.'),
  score: z.number().describe('The highest of their mean scores, 0..1.'),
  by: z
    .enum(['ranking', 'intervals'])
    .describe(
      'How a tie is decided: by the ranking of the run, or, while there is none, by whether the 95 % intervals ' +
        'overlap, which calls more models equal.',
    ),
});
export type RunTop = z.infer<typeof RunTop>;

export const Run = named('Run', 'One version of a suite against some models.', {
  id: id.describe('The id of the run: the `eval_id` of its submit.'),
  job_id: id.describe('The job of the run. After a resume, the job of the resumed run.'),
  name: z.string().nullable().describe('The display name of the run; null for none.'),
  note: z.string().nullable().describe('The note on the run; null for none.'),
  submitted_by: z
    .string()
    .nullable()
    .describe('The name of the user who submitted the run; null when the user is gone.'),
  suite: described('The suite of the run.', {
    id: id.describe('The id of the suite.'),
    name: z.string().describe('The name of the suite when the run was submitted.'),
    version: z
      .int()
      .describe('The version of the suite that the run pins. Later changes of the suite do not change results.'),
    has_conversations: z
      .boolean()
      .optional()
      .describe('True when it has cases that are conversations, whose results have figures of their own.'),
  }),
  status: JobStatus,
  config: jsonObject.describe(
    'The request, with defaults filled in, and with `models` as objects of `provider_key`, `model_id` and `params`.',
  ),
  targets: z
    .array(
      RunTarget.extend({
        usage: TargetUsage.optional().describe('Tokens of its requests. Left out where a model was not asked.'),
      }),
    )
    .describe('The progress of each model, in the order of the request.'),
  counts: described('The progress of the run.', {
    total: z.int().describe('Items of the run: cases times samples times models.'),
    settled: z.int().describe('Items that have a result, scored or errored.'),
    errored: z.int().describe('Items that errored. They have no score and are in no average.'),
    passed: z.int().describe('Items that passed.'),
  }),
  score: z.number().nullable().describe("Mean over the models' overall means, 0..1; null while nothing is scored."),
  delta: z
    .number()
    .nullable()
    .describe(
      "The score minus that of the experiment's baseline, both over the cases that they have in common. " +
        'Null without a baseline, until the run has ended, and where `differs` says why. `comparison` says ' +
        'whether it is more than chance.',
    ),
  differs: z.array(DeltaObstacle).describe('Why there is no `delta` though there is a baseline.'),
  comparison: BaselineComparison.nullable().describe(
    'The run against the baseline of its experiment; null without one, and until it is compared.',
  ),
  against: RunAgainst.nullable().describe(
    'What changed: the run against the baseline of its experiment; without one, and for the baseline itself, against ' +
      'the previous run of the same suite with the same models. Null when there is no such run, and until it is ' +
      'compared, soon after its end.',
  ),
  top: RunTop.nullable().describe(
    'The best model or models; null until a model has all of its results, and for a run that stopped before.',
  ),
  summaries: z.array(Summary).describe('The final figures of each model that is done.'),
  experiment_id: id.nullable().describe('The experiment that the run belongs to; null for none.'),
  experiment_name: z.string().nullable().describe('The name of that experiment; null for none.'),
  orchestrator: Orchestrator.nullable().describe('What made the run; null when a user did.'),
  extends_run_id: id.nullable().describe('The run that this one adds samples to; null for a run of its own.'),
  first_sample: z.int().describe('The number of its first sample; 0 unless it extends a run.'),
  estimate: Estimate.nullable().describe(
    'The estimate for the run, made when it was submitted; null for runs from before there were estimates.',
  ),
  actual: Actual.nullable().describe('What the run took; null until it has ended.'),
  current_cost: CurrentCost.optional().describe('Only with `prices=current`.'),
  warnings: z
    .array(RunWarning)
    .describe(
      'What the run did differently from what was requested, in order. Kept ' +
        'as long as the run. At most 200: the log has the rest.',
    ),
  created_at: time.describe('When the run was submitted.'),
  finished_at: time.nullable().describe('When the run ended; null until then.'),
  mine: Marks.optional().describe('Your own tags of the run, and whether you archived it.'),
});
export type Run = z.infer<typeof Run>;

export const RunsQuery = z.strictObject({
  ...PageQuery.shape,
  suite_id: id.optional().meta({
    description: 'Only runs of this suite, whatever its version.',
    example: '019aa8a2-5c1e-7000-8000-000000000011',
  }),
  experiment_id: id.optional().meta({
    description: 'Only runs of this experiment.',
    example: '019aa8a2-5c1e-7000-8000-000000000051',
  }),
  status: severalOf(JobStatus).meta({
    description: 'Only runs with this status; repeat it for several.',
    example: ['completed'],
  }),
  model: severalOf(z.string().max(300)).meta({
    description: "Only runs of this model: `provider_key::model_id`, or the model's id; repeat it for several.",
    example: ['simulator::perfect-ish'],
  }),
  q: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .meta({
      description:
        'Only runs with this text in their name, note or suite, in upper or lower case. It reads ' +
        `the newest ${SEARCHED_RUNS.toLocaleString('en')} runs of the team.`,
      example: 'nightly',
    }),
  from: time.optional().meta({
    description: 'Only runs submitted at this time or later.',
    example: '2026-11-01T00:00:00Z',
  }),
  to: time.optional().meta({ description: 'Only runs submitted before this time.', example: '2026-12-01T00:00:00Z' }),
  order: z
    .enum(RUN_ORDERS)
    .default('newest')
    .describe(
      'The newest first; by name, with numbers in their order; or those with the highest score, cost, duration or ' +
        'share of errored results first. Runs without the value come last, newest first.',
    ),
  reverse: flag.describe('Reverses the order: the oldest or the lowest first. Runs without the value stay last.'),
  orchestrated: flag.describe('Also lists runs that a gate run made, and runs that add samples to others.'),
  ...markFilters,
});
export type RunsQuery = z.infer<typeof RunsQuery>;
