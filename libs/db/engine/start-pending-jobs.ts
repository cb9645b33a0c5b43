import { inTransaction, type Pool } from '../connection/pool.js';
import { admitJobs } from './admit-jobs.js';
import { lockUserOrTimeOut } from './lock-user.js';

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Starts the pending jobs of a team that its limit allows, user by user. Call it once a higher limit is committed. If
 * this breaks off, the remaining jobs start at the next call, or when a job of their user ends.
 * @returns the jobs that started, and the lanes where they have work
 */
export async function startPendingJobs(pool: Pool, teamId: string): Promise<{ jobs: string[]; lanes: string[] }> {
  const { rows: users } = await pool.query<{ id: string }>(
    `SELECT id FROM users WHERE team_id = $1
      AND EXISTS (SELECT 1 FROM job WHERE user_id = users.id AND status = 'pending')`,
    [teamId],
  );
  const jobs: string[] = [];
  for (const { id } of users) jobs.push(...(await startJobsOf(pool, id)));
  const { rows: lanes } = await pool.query<{ id: string }>(
    'SELECT DISTINCT lane_id AS id FROM target WHERE run_id IN (SELECT id FROM run WHERE job_id = ANY ($1))',
    [jobs],
  );
  return { jobs, lanes: lanes.map(({ id }) => id) };
}

async function startJobsOf(pool: Pool, userId: string): Promise<string[]> {
  try {
    return await inTransaction(pool, async (client) => {
      await lockUserOrTimeOut(client, userId);
      return admitJobs(client, userId);
    });
  } catch (error) {
    // The transaction that holds the user for this long starts them when it ends.
    if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE) return [];
    throw error;
  }
}
