import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Job, JobType } from '#lib/contracts/job';
import type { JobStatus } from '#lib/contracts/job-status';
import type { Page } from '#lib/contracts/page';
import { client, readQuery, read } from '../../api/client';
import { keys } from '../../api/keys';
import { POLL_MS } from '../../api/refresh';

const UNDER_WAY = ['running', 'queued', 'pending'] as const;
/** How many jobs of a status are shown, newest first. */
const SHOWN = 20;

/** Waiting and running jobs, running ones first. They are polled while there are any. */
export const jobsUnderWayQuery = queryOptions({
  queryKey: [...keys.jobs, 'under way'],
  queryFn: async ({ signal }): Promise<Job[]> => {
    const pages = await Promise.all(
      UNDER_WAY.map((status) =>
        client.call<Page<Job>>('GET', `/api/jobs?limit=${SHOWN}&status=${status}`, undefined, { signal }),
      ),
    );
    return pages.flatMap(({ items }) => items);
  },
  refetchInterval: ({ state }) => (state.data?.length ? POLL_MS : false),
});

export interface JobFilter {
  statuses?: readonly JobStatus[];
  type?: JobType;
  cursor?: string;
  limit?: number;
}

export const jobsQuery = ({ statuses = [], type, cursor, limit = 50 }: JobFilter) => {
  const query = new URLSearchParams({ limit: String(limit), ...(type && { type }), ...(cursor && { cursor }) });
  for (const status of statuses) query.append('status', status);
  return queryOptions({
    queryKey: [...keys.jobs, 'list', String(query)],
    queryFn: read<Page<Job>>(`/api/jobs?${query}`),
    placeholderData: keepPreviousData,
  });
};

/** Beyond this many unfinished jobs, the badge says "99+". */
export const MOST_COUNTED = 99;
/** The team's unfinished jobs, for their count; refreshed by team events. */
export const unfinishedJobsQuery = jobsQuery({ statuses: UNDER_WAY, limit: MOST_COUNTED + 1 });

export const jobQuery = (id: string) => readQuery<Job>([...keys.jobs, id], `/api/jobs/${id}`);

export async function cancelJob(id: string, options: { idempotencyKey: string }): Promise<Job> {
  return client.call<Job>('POST', `/api/jobs/${id}/cancel`, undefined, options);
}

/** Resumes a run, tune or report under a new job. */
export async function resumeJob(id: string, options: { idempotencyKey: string }): Promise<unknown> {
  return client.call('POST', `/api/jobs/${id}/resume`, {}, options);
}
