import type { JobStatus } from '#lib/contracts/job-status';
import { JOB_TYPES, UNFINISHED_STATUSES } from '#lib/contracts/values/jobs';
import { keyOf, oneOf, searchOf, text } from '../../address';

/** Filters of the job list, other than running and waiting, with their labels. */
export const JOB_STATUS_LABELS = {
  pending: 'pending',
  queued: 'queued',
  running: 'running',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  budget_exceeded: 'budget spent',
  all: 'any',
} as const satisfies Record<JobStatus | 'all', string>;
type StatusFilter = keyof typeof JOB_STATUS_LABELS;

/** The statuses behind a filter; empty for all of them. */
export const statusesOf = (filter: StatusFilter | undefined): readonly JobStatus[] =>
  filter === undefined ? UNFINISHED_STATUSES : filter === 'all' ? [] : [filter];

/** Jobs: running or waiting ones by default. */
export const jobsSearch = searchOf({ status: keyOf(JOB_STATUS_LABELS), type: oneOf(JOB_TYPES), after: text(500) });
export type JobsSearch = ReturnType<typeof jobsSearch>;
