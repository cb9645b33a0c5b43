import { queryOptions } from '@tanstack/react-query';
import type { Job, JobType } from '#lib/contracts/job';
import type { JobStatus } from '#lib/contracts/job-status';
import type { Page } from '#lib/contracts/page';
import { UNFINISHED_STATUSES } from '#lib/contracts/values/jobs';
import type { Sent } from '../../api/action';
import { client, pathWith, read, readQuery } from '../../api/client';
import { keys } from '../../api/keys';
import { POLL_MS } from '../../api/query-client';
import { runsQuery } from '../runs/api';

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
const statusesOf = (filter: StatusFilter | undefined): readonly JobStatus[] =>
  filter === undefined ? UNFINISHED_STATUSES : filter === 'all' ? [] : [filter];

export interface JobFilter {
  /** Default: running and waiting ones. */
  status?: StatusFilter;
  type?: JobType;
  after?: string;
}

const ROUTE = '/api/jobs';
const PAGE = 50;
const UNDER_WAY = ['running', 'queued', 'pending'] as const;
/** How many jobs of a status are shown, newest first. */
const SHOWN = 20;

/** Waiting and running jobs, running ones first. They are polled while there are any. */
export const jobsUnderWayQuery = queryOptions({
  queryKey: [...keys.jobs, 'under way'],
  queryFn: async (context): Promise<Job[]> => {
    const paths = UNDER_WAY.map((status) => pathWith(ROUTE, { limit: SHOWN, status }));
    const pages = await Promise.all(paths.map((path) => read<Page<Job>>(path)(context)));
    return pages.flatMap(({ items }) => items);
  },
  refetchInterval: ({ state }) => (state.data?.length ? POLL_MS : false),
});

/** A page of the team's jobs, newest first. */
export const jobsQuery = ({ status, type, after }: JobFilter) =>
  readQuery<Page<Job>>(keys.jobs, pathWith(ROUTE, { limit: PAGE, type, cursor: after, status: statusesOf(status) }));

/** How many runs have their names fetched; older ones are shown by the end of their id. */
const NAMED_RUNS = 200;
/** The runs of listed jobs, for their names. */
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
