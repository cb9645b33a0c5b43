import { inTransaction, type Pool } from '../connection/pool.js';
import { admitJobs } from './admit-jobs.js';
import { jobTurns } from './job-turns.js';
import { lockUserOrTimeOut } from './lock-user.js';

const LOCK_NOT_AVAILABLE = '55P03';

/** Somebody whose job can start, because a job of somebody else has ended or a limit is higher now. */
export interface WaitingUser {
  teamId: string;
  userId: string;
}

/** Those of all teams, up to a hundred. */
export async function usersToStart(pool: Pool): Promise<WaitingUser[]> {
  const { rows } = await pool.query<WaitingUser>({
    name: 'users_to_start',
    text: `SELECT team_id AS "teamId", user_id AS "userId"
     FROM (${jobTurns(`team_id IN (SELECT team_id FROM job WHERE status = 'pending' AND parent_id IS NULL)`)}) turns
     GROUP BY 1, 2 ORDER BY min(id::text) LIMIT 100`,
  });
  return rows;
}

/**
 * Starts the pending jobs of a team that its limits allow, user by user. Call it once a higher limit is committed. If
 * this breaks off, workers start the rest.
 * @returns the jobs that started, and the lanes where they have work
 */
export async function startPendingJobs(pool: Pool, teamId: string): Promise<{ jobs: string[]; lanes: string[] }> {
  const { rows: users } = await pool.query<{ userId: string }>(
    `SELECT DISTINCT user_id AS "userId" FROM (${jobTurns('team_id = $1')}) turns`,
    [teamId],
  );
  const jobs: string[] = [];
  for (const { userId } of users) jobs.push(...(await startJobsOf(pool, userId)));
  const { rows: lanes } = await pool.query<{ id: string }>(
    'SELECT DISTINCT lane_id AS id FROM target WHERE run_id IN (SELECT id FROM run WHERE job_id = ANY ($1))',
    [jobs],
  );
  return { jobs, lanes: lanes.map(({ id }) => id) };
}

/** Starts the pending jobs of a user whose turn it is. @returns those that started */
export async function startJobsOf(pool: Pool, userId: string): Promise<string[]> {
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
