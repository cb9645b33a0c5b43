import type { JobsSetting } from '#lib/contracts/settings';
import { admitJobs } from '../engine/admit-jobs.js';
import { lockUserOrTimeOut } from '../engine/lock-user.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';

const LOCK_NOT_AVAILABLE = '55P03';

export async function readJobsSetting(pool: Pool, teamId: string): Promise<JobsSetting> {
  const { rows } = await pool.query<JobsSetting>('SELECT running_jobs_per_user FROM team WHERE id = $1', [teamId]);
  return rows[0]!;
}

/** Sets how many jobs of a user may run at once. Where fewer may run now, those that run go on. */
export async function setRunningJobs(pool: Pool | PoolClient, teamId: string, limit: number): Promise<void> {
  await pool.query('UPDATE team SET running_jobs_per_user = $2 WHERE id = $1', [teamId, limit]);
}

/**
 * Starts the jobs that wait for no more than the limit, user by user, once it is committed. If that breaks off, the
 * rest starts when it is done again, or when a job of their user ends.
 * @returns the jobs that started, and the lanes where they have work
 */
export async function startWaiting(pool: Pool, teamId: string): Promise<{ jobs: string[]; lanes: string[] }> {
  const { rows: waiting } = await pool.query<{ id: string }>(
    `SELECT id FROM users WHERE team_id = $1 AND EXISTS (SELECT 1 FROM job WHERE user_id = users.id
      AND status = 'pending')`,
    [teamId],
  );
  const jobs: string[] = [];
  for (const { id } of waiting) jobs.push(...(await startPending(pool, id)));
  const { rows: lanes } = await pool.query<{ id: string }>(
    'SELECT DISTINCT lane_id AS id FROM target WHERE run_id IN (SELECT id FROM run WHERE job_id = ANY ($1))',
    [jobs],
  );
  return { jobs, lanes: lanes.map(({ id }) => id) };
}

async function startPending(pool: Pool, userId: string): Promise<string[]> {
  try {
    return await inTransaction(pool, async (client) => {
      await lockUserOrTimeOut(client, userId);
      return admitJobs(client, userId);
    });
  } catch (error) {
    // Whoever holds the user for so long, starts them at its end.
    if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE) return [];
    throw error;
  }
}
