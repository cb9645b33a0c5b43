import type { JobStatus } from '#lib/contracts/job-status';
import { JOB_STATUSES, JOB_TYPES, UNFINISHED_STATUSES } from '#lib/contracts/values/jobs';
import { oneOf, searchOf, text } from '../../address';

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
export const STATUSES_OF: Record<StatusFilter | 'unfinished', readonly JobStatus[]> = {
  unfinished: UNFINISHED_STATUSES,
  all: [],
  ...(Object.fromEntries(JOB_STATUSES.map((status) => [status, [status]])) as Record<JobStatus, JobStatus[]>),
};

/** Jobs: running or waiting ones by default. */
export const jobsSearch = searchOf({
  status: oneOf(Object.keys(JOB_STATUS_LABELS) as StatusFilter[]),
  type: oneOf(JOB_TYPES),
  after: text(500),
});
export type JobsSearch = ReturnType<typeof jobsSearch>;

/** Spending ranges other than this month, and groupings other than by model, with their labels. */
export const SPENDING_SPANS = { last_month: 'last month', last_30_days: 'last 30 days' } as const;
export const SPENDING_BY = { suite: 'suite', person: 'person' } as const;
export const spendingSearch = searchOf({
  span: oneOf(Object.keys(SPENDING_SPANS) as (keyof typeof SPENDING_SPANS)[]),
  by: oneOf(Object.keys(SPENDING_BY) as (keyof typeof SPENDING_BY)[]),
});
export type SpendingSearch = ReturnType<typeof spendingSearch>;
export type SpendingSpan = SpendingSearch['span'];
