import type { Job, JobType } from '#lib/contracts/job';
import type { JobStatus } from '#lib/contracts/job-status';
import type { Page } from '#lib/contracts/page';
import { ENDED_STATUSES, JOB_STATUSES, UNFINISHED_STATUSES } from '#lib/contracts/values/jobs';
import type { Sent } from '../../api/action';
import { client, pathWith, readQuery } from '../../api/client';
import { keys } from '../../api/keys';
import { runsQuery } from '../runs/api';

/** How a job may end, with the words of the filter. */
export const ENDED_LABELS = {
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  budget_exceeded: 'budget spent',
} as const satisfies Record<(typeof ENDED_STATUSES)[number], string>;
/** The filter of all jobs that ended. */
export const FINISHED = 'finished';
/** Filters of the job list, other than running and waiting. */
export const STATUS_FILTERS = [...JOB_STATUSES, FINISHED, 'all'] as const;
type StatusFilter = (typeof STATUS_FILTERS)[number];

/** The statuses behind a filter; empty for all of them. */
function statusesOf(filter: StatusFilter | undefined): readonly JobStatus[] {
  if (filter === undefined) return UNFINISHED_STATUSES;
  if (filter === 'all') return [];
  return filter === FINISHED ? ENDED_STATUSES : [filter];
}

/** Whether a filter lists jobs that ended. */
export const isEnded = (filter: StatusFilter | undefined): boolean =>
  filter !== undefined && !(UNFINISHED_STATUSES as readonly string[]).includes(filter);

export interface JobFilter {
  /** Default: running and waiting ones. */
  status?: StatusFilter;
  type?: JobType;
  after?: string;
}

const ROUTE = '/api/jobs';
const PAGE = 50;

/** A page of the team's jobs: those under way in the order in which they run, those that ended newest first. */
export const jobsQuery = ({ status, type, after, limit = PAGE }: JobFilter & { limit?: number }) => {
  const order = isEnded(status) ? undefined : 'queue';
  return readQuery<Page<Job>>(
    keys.jobs,
    pathWith(ROUTE, { limit, type, order, cursor: after, status: statusesOf(status) }),
  );
};

/** How many runs are read for what they changed. */
const NAMED_RUNS = 50;
/** The runs of listed jobs, for what they changed. */
export const runsOfJobsQuery = ({ status }: JobFilter) =>
  runsQuery({ statuses: statusesOf(status), limit: NAMED_RUNS });

/** Beyond this many unfinished jobs, the badge says "99+". */
export const MOST_COUNTED = 99;
/** The team's unfinished jobs, for their count; refreshed by team events. */
export const unfinishedJobsQuery = readQuery<Page<Job>>(
  keys.jobs,
  pathWith(ROUTE, { limit: MOST_COUNTED + 1, status: UNFINISHED_STATUSES }),
);

export const jobQuery = (id: string) => readQuery<Job>(keys.jobs, `${ROUTE}/${id}`);

export const cancelJob = (id: string, options: Sent): Promise<Job> =>
  client.call('POST', `${ROUTE}/${id}/cancel`, undefined, options);

/** Resumes a run, tune or report under a new job. */
export const resumeJob = (id: string, options: Sent): Promise<unknown> =>
  client.call('POST', `${ROUTE}/${id}/resume`, {}, options);
