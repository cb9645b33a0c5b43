import { z } from 'zod';
import { JobType } from './job.js';
import { described, named } from './named.js';
import { id, time } from './page.js';
import { Limits } from './provider.js';

/** How many minutes of a lane's throughput are kept. */
export const THROUGHPUT_MINUTES = 15;
/** How many runs, and how many people, are named of those that wait on a lane. */
export const MAX_WAITING_SHOWN = 10;

export const Lane = z
  .object({
    id: id.describe('The id of the lane.'),
    name: z
      .string()
      .describe(
        'The key of the provider, or of the first provider if several share a credential. For a model ' +
          'with limits of its own: `provider_key::model_id`.',
      ),
    providers: z.array(z.string()).describe('Keys of the providers of this lane.'),
    limits: Limits.describe('The limits of the lane: the strictest limits of the providers that share it.'),
    paused_at: time.nullable().describe('When an owner paused the lane; null when it is not paused.'),
    in_flight: z.int().describe('Items that workers have and that are not settled.'),
    waiting: z.int().describe('Items in flight that have not started.'),
    backlog: z.int().describe('Items of running runs that are not settled.'),
    now: z
      .object({
        requests_in_flight: z.int().describe('Requests under way at the provider.'),
        allowed_at_once: z
          .int()
          .describe('How many requests may be under way now: `limits.max_concurrency` times `adaptive_factor`.'),
        adaptive_factor: z
          .number()
          .describe(
            'Share of the limits that is allowed since the provider replied 429, 0.05..1. It recovers by itself.',
          ),
        results_by_minute: z
          .array(z.int())
          .describe(`Results of each of the last ${THROUGHPUT_MINUTES} minutes, the present one last.`),
        blocked_until: time
          .nullable()
          .describe(
            'Until when no request is sent, because the provider asked for it (Retry-After); null when ' +
              'requests may be sent.',
          ),
        breaker: described('Whether the provider is considered down.', {
          state: z
            .enum(['closed', 'open'])
            .describe('`open` while the provider is down. Then only an occasional probe is sent.'),
          since: time.nullable().describe('When it opened; null when closed.'),
          next_probe_at: time.nullable().describe('When the next probe is sent; null when closed.'),
          error: z.string().nullable().describe('The error that opened it; null when closed.'),
        }),
      })
      .nullable()
      .describe('The state that all workers share in Redis; null while Redis cannot be reached.'),
  })
  .meta({
    id: 'Lane',
    description:
      "A queue of requests under one set of limits: a provider's credential, or a model with limits of its own.",
  });
export type Lane = z.infer<typeof Lane>;

export const LaneWaiting = named('LaneWaiting', 'Who waits on a lane: the jobs that have unfinished items on it.', {
  lane_id: id.describe('The id of the lane.'),
  items: z.int().describe('Items of running jobs that are not settled: the `backlog` of the lane.'),
  jobs_count: z.int().describe('How many jobs they belong to.'),
  jobs: z
    .array(
      z.object({
        job_id: id.describe('The job.'),
        type: JobType,
        result_ref: z.string().nullable().describe('As in the job; null for a case that somebody tries.'),
        subject_ref: z.string().nullable().describe('As in the job.'),
        name: z.string().nullable().describe('The name of the run; null for none.'),
        suite_name: z.string().nullable().describe('The suite of the run, at its submit; null for other jobs.'),
        submitted_by: z.string().nullable().describe('Who submitted it; null when that user is gone.'),
        since: time.describe('When it was submitted.'),
        items: z.int().describe('Its items on the lane that are not settled.'),
      }),
    )
    .describe(`The first ${MAX_WAITING_SHOWN} by submission.`),
  people: z
    .array(
      z.object({
        name: z.string().nullable().describe('Who submitted the jobs; null when that user is gone.'),
        jobs: z.int().describe('Their jobs that have items on the lane.'),
        items: z.int().describe('The items of these jobs.'),
      }),
    )
    .describe(`The ${MAX_WAITING_SHOWN} people with the most items.`),
});
export type LaneWaiting = z.infer<typeof LaneWaiting>;
