import { lockUser } from './lock-user.js';
import { logEvents } from './log-events.js';
import type { PoolClient } from '../connection/pool.js';

/**
 * Starts the oldest pending jobs of a user while fewer are running than the team allows. Called wherever that may
 * have changed: after a submit, a finish, a cancel. The user's row lock makes two callers at the same instant count
 * one another, and the share of the team's row makes another limit wait for those who count by the old one.
 * @returns the jobs that start
 */
export async function admitJobs(client: PoolClient, userId: string): Promise<string[]> {
  await lockUser(client, userId);
  const { rows: admitted } = await client.query<{ id: string; type: string; result_ref: string }>(
    `UPDATE job SET status = 'queued' WHERE id IN (
       SELECT id FROM job WHERE user_id = $1 AND status = 'pending' ORDER BY id
       LIMIT GREATEST(0, (SELECT t.running_jobs_per_user FROM team t JOIN users u ON u.team_id = t.id
         WHERE u.id = $1 FOR SHARE OF t)
         - (SELECT count(*)::int FROM job WHERE user_id = $1 AND status IN ('queued', 'running'))))
     RETURNING id, type, result_ref`,
    [userId],
  );
  for (const job of admitted.filter(({ type }) => type === 'tool_eval')) {
    await client.query(`UPDATE run SET status = 'queued' WHERE job_id = $1`, [job.id]);
    const detail = await preparationProgress(client, job.result_ref);
    if (detail === null) await activateRun(client, job.result_ref);
    else await client.query('UPDATE job SET detail = $2 WHERE id = $1', [job.id, detail]);
  }
  return admitted.map(({ id }) => id);
}

/** How far a resumed run is prepared; null where nothing is to be prepared. */
export async function preparationProgress(client: PoolClient, runId: string): Promise<string | null> {
  const { rows } = await client.query<{ detail: string | null }>(
    `SELECT 'preparing ' || sum(next_item) || ' of ' || sum(end_item) AS detail FROM preparation WHERE run_id = $1`,
    [runId],
  );
  return rows[0]!.detail;
}

/** Lets the dispatcher take items of a run whose job was admitted. */
export async function activateRun(client: PoolClient, runId: string): Promise<void> {
  const { rows } = await client.query<{ target: string; n: number }>(
    `UPDATE target SET active = true WHERE run_id = $1 AND (cursor < n OR EXISTS (SELECT 1 FROM redo
      WHERE redo.run_id = target.run_id AND redo.target = ordinal))
     RETURNING provider_key || '::' || model_id AS target, n`,
    [runId],
  );
  const {
    rows: [run],
  } = await client.query<{ job_id: string }>('SELECT job_id FROM run WHERE id = $1', [runId]);
  await logEvents(client, run!.job_id, [
    {
      name: 'tool_eval_init',
      data: {
        eval_id: runId,
        targets: rows.map((row) => row.target),
        total_cases: rows.reduce((sum, row) => sum + row.n, 0),
      },
    },
  ]);
}
