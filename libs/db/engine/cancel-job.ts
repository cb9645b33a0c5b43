import type { JobStatus } from '#lib/contracts/job-status';
import { takeLeasesAway } from '../connection/lease.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { admitJobs } from './admit-jobs.js';
import { lockUser } from './lock-user.js';
import { logJobEvents } from './log-events.js';
import { partOfJob } from '../made-by.js';
import { leaseOfSteps } from './orchestrations.js';
import { cancelPreparations } from './prepare-run.js';

interface Cancelled {
  runIds: string[];
  /** What the job was before. */
  status: JobStatus;
}

/**
 * Cancels a job and its child runs in one transaction: their status changes, the dispatcher takes no more of their
 * targets, their items leave the lanes' windows, and a running step ends. Settling an item afterwards finds no
 * in-flight row and changes nothing.
 * @returns the runs that were cancelled, and the status that the job had
 * @throws ProblemError 409 for the job of a child run, which is cancelled with its parent
 */
export async function cancelJob(
  pool: Pool | PoolClient,
  { teamId, jobId }: { teamId: string; jobId: string },
): Promise<Cancelled | 'finished' | 'not-found'> {
  return inTransaction(pool, async (client) => {
    const job = await findJob(client, teamId, jobId);
    if (!job) return 'not-found';
    return cancelFamily(client, { userId: job.user_id, jobId });
  });
}

/** Cancels a job with its child runs. */
export async function cancelFamily(
  client: PoolClient,
  { userId, jobId }: { userId: string; jobId: string },
): Promise<Cancelled | 'finished'> {
  await lockUser(client, userId);
  // Holding the lock on the user keeps child runs from being created and these jobs from being ended elsewhere.
  const { rows: jobs } = await client.query<{ id: string; result_ref: string; status: JobStatus }>(
    `SELECT id, result_ref, status FROM job
     WHERE (id = $1 OR parent_id = $1) AND status IN ('pending', 'queued', 'running') ORDER BY id`,
    [jobId],
  );
  const job = jobs.find(({ id }) => id === jobId);
  if (!job) return 'finished';
  const jobIds = jobs.map(({ id }) => id);
  const runIds = await cancelRuns(client, jobIds);
  await logJobEvents(
    client,
    jobs.map(({ id, result_ref }) => ({
      jobId: id,
      name: 'job_cancelled',
      data: { status: 'cancelled', result_ref },
    })),
  );
  await admitJobs(client, userId);
  return { runIds, status: job.status };
}

async function findJob(client: PoolClient, teamId: string, jobId: string): Promise<{ user_id: string } | undefined> {
  const { rows } = await client.query<{ user_id: string; parent: string | null }>(
    `SELECT j.user_id, p.result_ref AS parent FROM job j LEFT JOIN job p ON p.id = j.parent_id
     WHERE j.id = $1 AND j.team_id = $2`,
    [jobId, teamId],
  );
  const parent = rows[0]?.parent;
  if (parent) throw partOfJob('job', parent, 'Cancel the job of that one.');
  return rows[0];
}

/** Cancels jobs and their runs. @returns the runs */
async function cancelRuns(client: PoolClient, jobIds: string[]): Promise<string[]> {
  await client.query(
    `SELECT 1 FROM target WHERE run_id IN (SELECT id FROM run WHERE job_id = ANY ($1))
       ORDER BY run_id, ordinal FOR NO KEY UPDATE`,
    [jobIds],
  );
  const { rows: runs } = await client.query<{ id: string }>(
    `UPDATE run SET status = 'cancelled', finished_at = now() WHERE id IN (
       SELECT id FROM run WHERE job_id = ANY ($1) ORDER BY id FOR NO KEY UPDATE
     ) RETURNING id`,
    [jobIds],
  );
  await client.query(
    `UPDATE job SET status = 'cancelled', finished_at = now(), detail = NULL WHERE id IN (
       SELECT id FROM job WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE
     )`,
    [jobIds],
  );
  const runIds = runs.map(({ id }) => id);
  await client.query('UPDATE target SET active = false WHERE run_id = ANY ($1)', [runIds]);
  await cancelPreparations(client, runIds);
  await client.query(
    `DELETE FROM in_flight WHERE (run_id, target, item) IN (
       SELECT run_id, target, item FROM in_flight WHERE run_id = ANY ($1) ORDER BY run_id, target, item FOR UPDATE
     )`,
    [runIds],
  );
  const { rows: orchestrations } = await client.query<{ id: string }>(
    'SELECT id FROM orchestration WHERE job_id = ANY ($1)',
    [jobIds],
  );
  await takeLeasesAway(
    client,
    orchestrations.map(({ id }) => leaseOfSteps(id)),
  );
  return runIds;
}
