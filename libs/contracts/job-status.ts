import { z } from 'zod';

export const JOB_STATUSES = [
  'pending',
  'queued',
  'running',
  'completed',
  'failed',
  'cancelled',
  'budget_exceeded',
] as const;
export const JobStatus = z.enum(JOB_STATUSES).meta({
  description:
    'The state of the job. `pending` waits until fewer jobs of its user run. `queued` and ' +
    '`running` are under way. `completed`, `failed` (it could not be carried out), `cancelled` and ' +
    '`budget_exceeded` are final.',
});
export type JobStatus = z.infer<typeof JobStatus>;
export const isFinished = (status: JobStatus): boolean => !['pending', 'queued', 'running'].includes(status);
