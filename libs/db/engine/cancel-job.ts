import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { admitJobs } from './admit-jobs.js';
import { lockUser } from './lock-user.js';
import { logEvents } from './log-events.js';
import { cancelPreparation } from './prepare-run.js';

/**
 * Cancels a job in one transaction: its status says so, the dispatcher takes no more of its targets, and its items
 * leave the lanes' windows. Whoever settles an item afterwards finds no in-flight row, and changes nothing.
 */
export async function cancelJob(
  pool: Pool | PoolClient,
  { teamId, jobId }: { teamId: string; jobId: string },
): Promise<'cancelled' | 'finished' | 'not-found'> {
  return inTransaction(pool, async (client) => {
    const found = await client.query<{ user_id: string; result_ref: string }>(
      'SELECT user_id, result_ref FROM job WHERE id = $1 AND team_id = $2',
      [jobId, teamId],
    );
    const job = found.rows[0];
    if (!job) return 'not-found';
    await lockUser(client, job.user_id);
    await client.query(
      `SELECT 1 FROM target WHERE run_id IN (SELECT id FROM run WHERE job_id = $1) ORDER BY run_id, ordinal FOR UPDATE`,
      [jobId],
    );
    const cancelled = await client.query(
      `UPDATE job SET status = 'cancelled', finished_at = now(), detail = NULL
       WHERE id = $1 AND status IN ('pending', 'queued', 'running')`,
      [jobId],
    );
    if (cancelled.rowCount === 0) return 'finished';
    await cancelRun(client, jobId);
    await logEvents(client, jobId, [
      { name: 'job_cancelled', data: { status: 'cancelled', result_ref: job.result_ref } },
    ]);
    await admitJobs(client, job.user_id);
    return 'cancelled';
  });
}

/** Cancels the run that a job carries, if it carries one. */
async function cancelRun(client: PoolClient, jobId: string): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `UPDATE run SET status = 'cancelled', finished_at = now() WHERE job_id = $1 RETURNING id`,
    [jobId],
  );
  if (!rows[0]) return;
  const runId = rows[0].id;
  await client.query('UPDATE target SET active = false WHERE run_id = $1', [runId]);
  await cancelPreparation(client, runId);
  await client.query('DELETE FROM in_flight WHERE run_id = $1', [runId]);
}
