import type { Job, JobStatus, JobType } from '#lib/contracts/job';
import type { Page } from '#lib/contracts/page';
import { notFound } from '#lib/contracts/problem';
import type { Job as JobRow } from './generated/client.js';
import type { PoolClient } from './pool.js';
import type { Prisma } from './prisma.js';
import { page } from './teams.js';

function toJob(row: JobRow): Job {
  const { done, total } = row;
  const elapsedS = row.started_at ? (Date.now() - row.started_at.getTime()) / 1000 : 0;
  return {
    id: row.id, type: row.type as JobType, status: row.status as JobStatus,
    progress: {
      done, total, errored: row.errored, percent: total === 0 ? 0 : Math.round((1000 * done) / total) / 10,
      eta_s: row.status === 'running' && done > 0 && done < total ? Math.round((elapsedS / done) * (total - done) * 10) / 10 : null,
    },
    detail: row.detail, result_ref: row.result_ref, error: row.error, created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null, finished_at: row.finished_at?.toISOString() ?? null,
  };
}

export async function listJobs(
  prisma: Prisma, teamId: string, filter: { status?: JobStatus; type?: JobType }, limit: number, cursor: string | undefined,
): Promise<Page<Job>> {
  const rows = await prisma.job.findMany({
    where: { team_id: teamId, status: filter.status, type: filter.type, ...(cursor && { id: { lt: cursor } }) }, orderBy: { id: 'desc' }, take: limit + 1,
  });
  return page(rows.map(toJob), limit);
}

export async function readJob(prisma: Prisma, teamId: string, id: string): Promise<Job> {
  const row = await prisma.job.findFirst({ where: { id, team_id: teamId } });
  if (!row) throw notFound('job', id);
  return toJob(row);
}

/** A job as the transaction that changed it leaves it. */
export async function changedJob(client: PoolClient, id: string): Promise<Job> {
  const { rows } = await client.query<JobRow>('SELECT * FROM job WHERE id = $1', [id]);
  return toJob(rows[0]!);
}
