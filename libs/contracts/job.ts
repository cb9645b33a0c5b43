import { z } from 'zod';
import { JobStatus } from './job-status.js';
import { JOB_TYPES, MAX_POSITION } from './values/jobs.js';
import { RESULTS } from './orchestration-kinds.js';
import { id, time } from './page.js';

export const JobType = z.enum(JOB_TYPES).meta({
  description:
    'The kind of work: a run (`tool_eval`), a second scoring of the stored replies of a run (`rescore`), a gate ' +
    'run (`gate`), a tune of parameters (`param_tune`) or prompts (`prompt_tune`) with the runs that they make, or ' +
    'a report of a judge (`judge`).',
});
export type JobType = z.infer<typeof JobType>;

export const Job = z
  .object({
    id: id.meta({ description: 'The id of the job: `job_id` of what was submitted.' }),
    type: JobType,
    status: JobStatus,
    progress: z
      .object({
        done: z.int().meta({ description: 'Items that are done, including errored ones.' }),
        total: z.int().meta({ description: 'All items of the job: cases times samples times models.' }),
        errored: z.int().meta({ description: 'Items that errored.' }),
        percent: z.number().meta({ description: 'Percentage of the items that are done, 0..100 with one decimal.' }),
        eta_s: z.number().nullable().meta({
          description: 'Estimated seconds left at the current pace; null before the first item and after the last.',
        }),
      })
      .meta({ description: 'The progress of the job.' }),
    submitted_by: z.string().nullable().meta({
      description: 'Who submitted it; null when that user is gone.',
    }),
    position: z
      .int()
      .min(1)
      .max(MAX_POSITION)
      .nullable()
      .meta({
        description:
          'The place of a `pending` job among those of its user: 1 is the next to start. 1000 also means any later ' +
          'place. Null when the job does not wait for the limit of its user.',
      }),
    detail: z
      .string()
      .nullable()
      .meta({ description: 'What the job waits for, or why it stopped; null when there is nothing to say.' }),
    result_ref: z
      .string()
      .nullable()
      .meta({
        description:
          'The result of the job: for `tool_eval` the eval_id, for `rescore` the id of the rescore, ' +
          `${RESULTS.map(({ types, result }) => `for ${types.join(' and ')} the id of the ${result}`).join(', ')}.`,
      }),
    subject_ref: z.string().nullable().meta({
      description: 'What the result belongs to: for `gate` the id of the gate, for `rescore` the eval_id; else null.',
    }),
    error: z.string().nullable().meta({ description: 'Why the job failed; null when it did not.' }),
    created_at: time.meta({ description: 'When it was submitted.' }),
    started_at: time.nullable().meta({ description: 'When it started; null while it waits.' }),
    finished_at: time.nullable().meta({ description: 'When it ended; null until then.' }),
  })
  .meta({ id: 'Job', description: 'Work in the background.' });
export type Job = z.infer<typeof Job>;
export const CancelInput = z
  .strictObject({ job_id: id.meta({ description: 'The job to cancel.' }) })
  .meta({ id: 'CancelInput', description: 'Names the job to cancel.' });
