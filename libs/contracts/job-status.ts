import { z } from 'zod';
import { JOB_STATUSES } from './values/jobs.js';

export const JobStatus = z
  .enum(JOB_STATUSES)
  .describe(
    'The state of the job. `pending` waits until fewer jobs of its user run. `queued` and `running` are under way. ' +
      '`completed`, `failed` (it could not be carried out), `cancelled` and `budget_exceeded` are final.',
  );
export type JobStatus = z.infer<typeof JobStatus>;
