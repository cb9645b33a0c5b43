import { queryOptions } from '@tanstack/react-query';
import type { Job } from '#lib/contracts/job';
import type { Page } from '#lib/contracts/page';
import { UNFINISHED_STATUSES } from '#lib/contracts/values/jobs';
import type { Sent } from '../../api/action';
import { client, pathWith, read, readQuery } from '../../api/client';
import { keys } from '../../api/keys';
import { POLL_MS } from '../../api/refresh';
import { runsQuery } from '../runs/api';
import { statusesOf, type JobsSearch } from './address';

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

/** The jobs that an address asks for. */
export const jobsQuery = ({ status, type, after }: JobsSearch) =>
  readQuery<Page<Job>>(keys.jobs, pathWith(ROUTE, { limit: PAGE, type, cursor: after, status: statusesOf(status) }));

/** How many runs have their names fetched; older ones are shown by the end of their id. */
const NAMED_RUNS = 200;
/** The runs that jobs at an address name. */
export const runsOfJobsQuery = ({ status }: JobsSearch) =>
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
