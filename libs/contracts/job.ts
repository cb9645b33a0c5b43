import { z } from 'zod';
import { described, named, namedInput } from './named.js';
import { JobStatus } from './job-status.js';
import { BLOCKED_REASONS, JOB_TYPES, MAX_POSITION, ORCHESTRATIONS } from './values/jobs.js';
import { RESULTS } from './orchestration-kinds.js';
import { id, time } from './page.js';

export const JobType = z.enum(JOB_TYPES).describe(
  'The kind of work: a run (`tool_eval`), a second scoring of the stored replies of a run (`rescore`), or what ' +
    `creates runs: ${Object.entries(ORCHESTRATIONS)
      .map(([type, { meaning }]) => `${meaning} (\`${type}\`)`)
      .join(', ')}.`,
);
export type JobType = z.infer<typeof JobType>;

export const Job = named('Job', 'Work in the background.', {
  id: id.describe('The id of the job: `job_id` of what was submitted.'),
  type: JobType,
  name: z.string().nullable().describe('The name of the run, or of the gate; null for none.'),
  suite_name: z.string().nullable().describe('The suite of the work; null when it is gone.'),
  status: JobStatus,
  progress: described('The progress of the job.', {
    done: z.int().describe('Items that are done, including errored ones.'),
    total: z.int().describe('All items of the job: cases times samples times models.'),
    errored: z.int().describe('Items that errored.'),
    percent: z.number().describe('Percentage of the items that are done, 0..100 with one decimal.'),
    eta_s: z
      .number()
      .nullable()
      .describe(
        'Estimated seconds left at the current pace; null before the first item, after the last, and while `blocked`.',
      ),
  }),
  submitted_by: z.string().nullable().describe('Who submitted it; null when that user is gone.'),
  blocked: z
    .object({
      reason: z
        .enum(BLOCKED_REASONS)
        .describe(
          '`paused`: an owner paused a lane; `provider`: a provider is down or asked for a pause; `no_worker`.',
        ),
      items: z.int().describe('Items that wait for it.'),
      text: z.string().describe('The same in words: `paused: 41 items wait`.'),
    })
    .nullable()
    .describe('What keeps items of a running job from starting; null when nothing does.'),
  position: z
    .int()
    .min(1)
    .max(MAX_POSITION)
    .nullable()
    .describe(
      'The place of a `pending` job among those of its user: 1 is the next to start. 1000 also means any later ' +
        'place. Null when the job does not wait for the limit of its user.',
    ),
  detail: z
    .string()
    .nullable()
    .describe('What the job waits for, or why it stopped; null when there is nothing to say.'),
  result_ref: z
    .string()
    .nullable()
    .describe(
      'The result of the job: for `tool_eval` the eval_id, for `rescore` the id of the rescore, ' +
        `${RESULTS.map(({ types, result }) => `for ${types.join(' and ')} the id of the ${result}`).join(', ')}.`,
    ),
  subject_ref: z
    .string()
    .nullable()
    .describe('What the result belongs to: for `gate` the id of the gate, for `rescore` the eval_id; else null.'),
  error: z.string().nullable().describe('Why the job failed; null when it did not.'),
  created_at: time.describe('When it was submitted.'),
  started_at: time.nullable().describe('When it started; null while it waits.'),
  finished_at: time.nullable().describe('When it ended; null until then.'),
});
export type Job = z.infer<typeof Job>;
export const CancelInput = namedInput('CancelInput', 'Names the job to cancel.', {
  job_id: id.describe('The job to cancel.'),
});
