import type { Job, JobStatus, JobType } from '#lib/contracts/job';
import type { Page } from '#lib/contracts/page';
import { notFound } from '#lib/contracts/problem';
import type { JobsSetting } from '#lib/contracts/settings';
import type { Job as JobRow } from '../generated/client.js';
import type { PoolClient } from '../connection/pool.js';
import type { Prisma } from '../connection/prisma.js';
import { toPage } from '../catalogue/page.js';

/** What a pending job waits for is said by the limit as it is now. */
function toJob(row: JobRow, { running_jobs_per_user: limit }: JobsSetting): Job {
  const { done, total } = row;
  const elapsedS = row.started_at ? (Date.now() - row.started_at.getTime()) / 1000 : 0;
  return {
    id: row.id,
    type: row.type as JobType,
    status: row.status as JobStatus,
    progress: {
      done,
      total,
      errored: row.errored,
      percent: total === 0 ? 0 : Math.round((1000 * done) / total) / 10,
      eta_s:
        row.status === 'running' && done > 0 && done < total
          ? Math.round((elapsedS / done) * (total - done) * 10) / 10
          : null,
    },
    detail:
      row.status === 'pending'
        ? `Waits until fewer than ${limit} jobs of its user are running; an owner can raise the limit ` +
          'with PUT /api/settings/jobs.'
        : row.detail,
    result_ref: row.result_ref,
    error: row.error,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

export async function listJobs(
  prisma: Prisma,
  teamId: string,
  filter: { status?: JobStatus; type?: JobType },
  limit: number,
  cursor: string | undefined,
): Promise<Page<Job>> {
  const rows = await prisma.job.findMany({
    where: { team_id: teamId, status: filter.status, type: filter.type, ...(cursor && { id: { lt: cursor } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  const setting = await settingOf(prisma, teamId);
  return toPage(
    rows.map((row) => toJob(row, setting)),
    limit,
  );
}

export async function readJob(prisma: Prisma, teamId: string, id: string): Promise<Job> {
  const row = await prisma.job.findFirst({ where: { id, team_id: teamId } });
  if (!row) throw notFound('job', id);
  return toJob(row, await settingOf(prisma, teamId));
}

const settingOf = (prisma: Prisma, id: string): Promise<JobsSetting> =>
  prisma.team.findUniqueOrThrow({ where: { id }, select: { running_jobs_per_user: true } });

/** A job as the transaction that changed it leaves it. */
export async function changedJob(client: PoolClient, id: string): Promise<Job> {
  const { rows } = await client.query<JobRow & JobsSetting>(
    'SELECT j.*, t.running_jobs_per_user FROM job j JOIN team t ON t.id = j.team_id WHERE j.id = $1',
    [id],
  );
  return toJob(rows[0]!, rows[0]!);
}
