import type { JobStatus, JobType } from '#lib/contracts/job';
import { oneOf, searchOf, text } from './search';

const STATUSES = ['pending', 'queued', 'running', 'completed', 'failed', 'cancelled', 'budget_exceeded'] as const;
const TYPES = ['tool_eval', 'rescore', 'param_tune', 'prompt_tune', 'judge', 'gate'] as const;

/** Jobs: those that run or wait, unless it says otherwise. */
export const jobsSearch = searchOf({
  status: oneOf([...STATUSES, 'all'] as const satisfies readonly (JobStatus | 'all')[]),
  type: oneOf(TYPES satisfies readonly JobType[]),
  after: text(500),
});
