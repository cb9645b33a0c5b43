import type { PoolClient } from '../connection/pool.js';
import { lockUser } from './lock-user.js';
import { logEvents } from './log-events.js';

/**
 * Starts the oldest pending jobs of a user while fewer are running than the team allows, and those of child runs, for
 * which their parent counts: `pending` becomes
 * `queued`, and a run's targets become active, unless the run has to be prepared first. Called wherever the number
 * may have changed: after a submit, a finish, a cancel. Because of the user's row lock, two callers at the same
 * instant count each other's jobs. Because of the share lock on the team's row, a change of the limit waits for
 * those who count by the old one.
 * @returns the jobs that start
 */
export async function admitJobs(client: PoolClient, userId: string): Promise<string[]> {
  await lockUser(client, userId);
  const { rows: admitted } = await client.query<{ id: string; type: string; result_ref: string }>(
    `UPDATE job SET status = 'queued' WHERE user_id = $1 AND status = 'pending' AND (parent_id IS NOT NULL OR id IN (
       SELECT id FROM job WHERE user_id = $1 AND status = 'pending' AND parent_id IS NULL ORDER BY id
       LIMIT greatest(0, (
         SELECT t.running_jobs_per_user FROM team t JOIN users u ON u.team_id = t.id WHERE u.id = $1 FOR SHARE OF t
       ) - (
         SELECT count(*)::int FROM job
         WHERE user_id = $1 AND status IN ('queued', 'running') AND parent_id IS NULL
       ))
     )) RETURNING id, type, result_ref`,
    [userId],
  );
  for (const job of admitted.filter(({ type }) => type === 'tool_eval')) {
    await client.query(`UPDATE run SET status = 'queued' WHERE job_id = $1`, [job.id]);
    const progress = await preparationProgress(client, job.result_ref);
    if (progress === null) await activateRun(client, job.result_ref);
    else await client.query('UPDATE job SET detail = $2 WHERE id = $1', [job.id, progress]);
  }
  return admitted.map(({ id }) => id);
}

/** How far a resumed run is prepared, for the job's detail; null when there is nothing to prepare. */
export async function preparationProgress(client: PoolClient, runId: string): Promise<string | null> {
  const { rows } = await client.query<{ detail: string | null }>(
    `SELECT 'preparing ' || sum(next_item) || ' of ' || sum(end_item) AS detail FROM preparation WHERE run_id = $1`,
    [runId],
  );
  return rows[0]!.detail;
}

/** Lets the dispatcher take items of a run whose job was admitted, and logs its beginning. */
export async function activateRun(client: PoolClient, runId: string): Promise<void> {
  const { rows: targets } = await client.query<{ target: string; n: number }>(
    `UPDATE target SET active = true
     WHERE run_id = $1 AND (cursor < n OR EXISTS (
       SELECT 1 FROM redo WHERE redo.run_id = target.run_id AND redo.target = ordinal
     ))
     RETURNING provider_key || '::' || model_id AS target, n`,
    [runId],
  );
  const run = await client.query<{ job_id: string }>('SELECT job_id FROM run WHERE id = $1', [runId]);
  await logEvents(client, run.rows[0]!.job_id, [
    {
      name: 'tool_eval_init',
      data: {
        eval_id: runId,
        targets: targets.map(({ target }) => target),
        total_cases: targets.reduce((sum, { n }) => sum + n, 0),
      },
    },
  ]);
}
