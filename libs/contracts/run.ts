import { z } from 'zod';
import { CurrentCost, TargetUsage } from './billing.js';
import { BaselineComparison, Differs } from './comparison.js';
import { Actual, Estimate } from './estimate.js';
import { JobStatus } from './job-status.js';
import { ORCHESTRATION_TYPES } from './values/jobs.js';
import { flag, id, PageQuery, severalOf, time } from './page.js';
import { RunTarget, RunWarning } from './run-target.js';
import { Summary } from './summary.js';
import { jsonObject } from './tool.js';

export const Submitted = z
  .object({
    job_id: id.meta({
      description: 'The job of the run. `GET /api/jobs/{id}` shows its progress, and live events use this id.',
    }),
    eval_id: id.meta({ description: 'The id of the run. `GET /api/tool-eval/history/{id}` has its results.' }),
    status: z.literal('submitted').meta({ description: 'Always `submitted`. The job has the current status.' }),
  })
  .meta({ id: 'Submitted', description: 'A run that was accepted. It goes on in the background.' });
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

export const Run = z
  .object({
    id: id.meta({ description: 'The id of the run: the `eval_id` of its submit.' }),
    job_id: id.meta({ description: 'The job of the run. After a resume, the job of the resumed run.' }),
    name: z.string().nullable().meta({ description: 'The display name of the run; null for none.' }),
    note: z.string().nullable().meta({ description: 'The note on the run; null for none.' }),
    submitted_by: z.string().nullable().meta({
      description: 'The name of the user who submitted the run; null when the user is gone.',
    }),
    suite: z
      .object({
        id: id.meta({ description: 'The id of the suite.' }),
        name: z.string().meta({ description: 'The name of the suite when the run was submitted.' }),
        version: z.int().meta({
          description: 'The version of the suite that the run pins. Later changes of the suite do not change results.',
        }),
      })
      .meta({ description: 'The suite of the run.' }),
    status: JobStatus,
    config: jsonObject.meta({
      description:
        'The request, with defaults filled in, and with `models` as objects of `provider_key`, ' +
        '`model_id` and `params`.',
    }),
    targets: z
      .array(
        RunTarget.extend({
          usage: TargetUsage.optional().meta({
            description: 'Tokens of its requests. Left out where a model was not asked.',
          }),
        }),
      )
      .meta({ description: 'The progress of each model, in the order of the request.' }),
    counts: z
      .object({
        total: z.int().meta({ description: 'Items of the run: cases times samples times models.' }),
        settled: z.int().meta({ description: 'Items that have a result, scored or errored.' }),
        errored: z.int().meta({ description: 'Items that errored. They have no score and are in no average.' }),
        passed: z.int().meta({ description: 'Items that passed.' }),
      })
      .meta({ description: 'The progress of the run.' }),
    score: z
      .number()
      .nullable()
      .meta({ description: "Mean over the models' overall means, 0..1; null while nothing is scored." }),
    delta: z
      .number()
      .nullable()
      .meta({
        description:
          "The score minus that of the experiment's baseline, both over the cases that they have in common. " +
          'Null without a baseline, until the run has ended, and where `differs` says why. `comparison` says ' +
          'whether it is more than chance.',
      }),
    differs: z.array(Differs).meta({ description: 'Why there is no `delta` though there is a baseline.' }),
    comparison: BaselineComparison.nullable().meta({
      description: 'The run against the baseline of its experiment; null without one, and until it is compared.',
    }),
    summaries: z.array(Summary).meta({ description: 'The final figures of each model that is done.' }),
    experiment_id: id.nullable().meta({ description: 'The experiment that the run belongs to; null for none.' }),
    orchestrator: Orchestrator.nullable().meta({ description: 'What made the run; null when a user did.' }),
    extends_run_id: id.nullable().meta({
      description: 'The run that this one adds samples to; null for a run of its own.',
    }),
    first_sample: z.int().meta({ description: 'The number of its first sample; 0 unless it extends a run.' }),
    estimate: Estimate.nullable().meta({
      description:
        'The estimate for the run, made when it was submitted; null for runs from before there were estimates.',
    }),
    actual: Actual.nullable().meta({ description: 'What the run took; null until it has ended.' }),
    current_cost: CurrentCost.optional().meta({ description: 'Only with `prices=current`.' }),
    warnings: z.array(RunWarning).meta({
      description:
        'What the run did differently from what was requested, in order. Kept ' +
        'as long as the run. At most 200: the log has the rest.',
    }),
    created_at: time.meta({ description: 'When the run was submitted.' }),
    finished_at: time.nullable().meta({ description: 'When the run ended; null until then.' }),
  })
  .meta({ id: 'Run', description: 'One version of a suite against some models.' });
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
  orchestrated: flag.meta({
    description: 'Also lists runs that a gate run made, and runs that add samples to others.',
  }),
});
export type RunsQuery = z.infer<typeof RunsQuery>;
