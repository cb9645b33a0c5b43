import { z } from 'zod';
import { id, time } from './page.js';

export const JOB_STATUSES = ['pending', 'queued', 'running', 'completed', 'failed', 'cancelled', 'budget_exceeded'] as const;
export const JobStatus = z.enum(JOB_STATUSES);
export type JobStatus = z.infer<typeof JobStatus>;
export const JobType = z.enum(['tool_eval', 'rescore']);
export type JobType = z.infer<typeof JobType>;
export const isFinished = (status: JobStatus): boolean => !['pending', 'queued', 'running'].includes(status);

export const Job = z
  .object({
    id,
    type: JobType,
    status: JobStatus,
    progress: z.object({
      done: z.int(),
      total: z.int(),
      errored: z.int(),
      percent: z.number(),
      /** Seconds left at the pace so far; null before the first item and after the last. */
      eta_s: z.number().nullable(),
    }),
    detail: z.string().nullable(),
    /** What it made: for `tool_eval` the eval_id, for `rescore` the id of the rescore. */
    result_ref: z.string().nullable(),
    error: z.string().nullable(),
    created_at: time,
    started_at: time.nullable(),
    finished_at: time.nullable(),
  })
  .meta({ id: 'Job' });
export type Job = z.infer<typeof Job>;
export const CancelInput = z.strictObject({ job_id: id }).meta({ id: 'CancelInput' });
