import { isFinished, type JobStatus } from '#lib/contracts/job';
import { inTransaction, longQuery, type Pool, type PoolClient } from '../connection/pool.js';

/** Deletes a finished run. It is gone from every list at once; `purgeRun` removes the rest of it in pieces. */
export async function deleteRun(
  pool: Pool | PoolClient,
  { teamId, runId }: { teamId: string; runId: string },
): Promise<'deleted' | 'unfinished' | 'not-found'> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ status: JobStatus; experiment_id: string | null }>(
      'SELECT status, experiment_id FROM run WHERE id = $1 AND team_id = $2 FOR UPDATE',
      [runId, teamId],
    );
    if (!rows[0]) return 'not-found';
    if (!isFinished(rows[0].status)) return 'unfinished';
    const rescores = await client.query<{ job_id: string; status: JobStatus }>(
      'SELECT j.id AS job_id, j.status FROM rescore s JOIN job j ON j.id = s.job_id WHERE s.run_id = $1',
      [runId],
    );
    if (rescores.rows.some((rescore) => !isFinished(rescore.status))) return 'unfinished';
    const own = await client.query<{ id: string }>('SELECT id FROM job WHERE result_ref = $1::text AND team_id = $2', [
      runId,
      teamId,
    ]);
    const jobs = [...own.rows.map(({ id }) => id), ...rescores.rows.map(({ job_id }) => job_id)];
    await client.query('DELETE FROM job WHERE id = ANY ($1)', [jobs]);
    await client.query('DELETE FROM rescore WHERE run_id = $1', [runId]);
    await client.query('DELETE FROM run WHERE id = $1', [runId]);
    await forgetInExperiments(client, runId, rows[0].experiment_id);
    await client.query('INSERT INTO purge (run_id, job_ids) VALUES ($1, $2)', [runId, jobs]);
    return 'deleted';
  });
}

/** Triggers of `run` and `experiment` see to it that the figures of the experiments are made anew. */
async function forgetInExperiments(client: PoolClient, runId: string, experimentId: string | null): Promise<void> {
  await client.query('DELETE FROM experiment_comparison WHERE run_id = $1 OR against_run_id = $1', [runId]);
  await client.query('UPDATE experiment SET baseline_run_id = NULL WHERE baseline_run_id = $1', [runId]);
  await client.query(
    `UPDATE experiment SET best_run_id = nullif(best_run_id, $2),
       tied_with = CASE WHEN best_run_id = $2 THEN '{}' ELSE array_remove(tied_with, $2) END
     WHERE id = $1`,
    [experimentId, runId],
  );
}

const ITEM = 'target, case_position, sample';

/** Deleted runs of which results, exchanges or logs are left, oldest first. */
export async function runsToPurge(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ run_id: string }>('SELECT run_id FROM purge ORDER BY run_id LIMIT 1000');
  return rows.map(({ run_id }) => run_id);
}

/** Removes a piece of what is left of a deleted run. @returns whether there may be more */
export async function purgeRun(pool: Pool, runId: string, pieceSize = 5000): Promise<boolean> {
  for (const [table, key] of [
    ['exchange', ITEM],
    ['result', ITEM],
    ['rescored', `rescore_id, ${ITEM}`],
    ['redo', 'target, item'],
    ['run_warning', 'code'],
  ]) {
    const removed = await longQuery(
      pool,
      `DELETE FROM ${table} WHERE run_id = $1 AND (${key}) IN (SELECT ${key} FROM ${table} WHERE run_id = $1 LIMIT $2)`,
      [runId, pieceSize],
    );
    if (removed.rowCount) return true;
  }
  const logged = await longQuery(
    pool,
    `DELETE FROM job_event WHERE (job_id, seq) IN (
       SELECT e.job_id, e.seq FROM purge p JOIN job_event e ON e.job_id = ANY (p.job_ids)
       WHERE p.run_id = $1 LIMIT $2
     )`,
    [runId, pieceSize],
  );
  if (logged.rowCount) return true;
  await pool.query('DELETE FROM purge WHERE run_id = $1', [runId]);
  return false;
}
