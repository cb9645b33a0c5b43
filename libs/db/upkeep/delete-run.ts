import { ProblemError } from '#lib/contracts/input/problem';
import { isFinished } from '#lib/contracts/values/jobs';
import type { JobStatus } from '#lib/contracts/job-status';
import { inTransaction, longQuery, type Pool, type PoolClient } from '../connection/pool.js';
import { partOfJob } from '../made-by.js';
import { recountStorageOf } from './count-storage.js';
import { hideParents } from './hide-parents.js';

/** A run that was deleted, as the audit says it. */
export interface DeletedRun {
  id: string;
  name: string | null;
  suite_id: string | null;
  suite_name: string;
  suite_version: number;
  status: JobStatus;
  score: number | null;
  created_at: Date;
}

/**
 * Deletes a finished run and the samples that were added to it. It disappears from every list at once; `purgeRun`
 * removes the rest of it in batches.
 * @returns the run, if it was possible
 * @throws ProblemError 409 for a child run that was not promoted: it is deleted with its parent
 */
export async function deleteRun(
  pool: Pool | PoolClient,
  { teamId, runId }: { teamId: string; runId: string },
): Promise<DeletedRun | 'unfinished' | 'not-found'> {
  return inTransaction(pool, async (client) => {
    await lockOwners(client, [runId], teamId);
    const { rows } = await client.query<{ orchestration_id: string | null; listed: boolean }>(
      'SELECT orchestration_id, listed FROM run WHERE id = $1 AND team_id = $2',
      [runId, teamId],
    );
    if (!rows[0]) return 'not-found';
    const { orchestration_id: parent, listed } = rows[0];
    if (parent !== null && !listed) throw partOfJob('run', parent, 'Delete its gate or its tune instead.');
    const deleted = await deleteRuns(client, [runId]);
    return deleted === 'unfinished' ? deleted : deleted.find(({ id }) => id === runId)!;
  });
}

/**
 * Locks the owners of runs and of samples that were added to them: starting or ending a job of theirs locks rows of
 * their other runs.
 */
export async function lockOwners(client: PoolClient, runIds: readonly string[], teamId?: string): Promise<void> {
  await client.query(
    `SELECT 1 FROM users WHERE id IN (
       SELECT user_id FROM run
       WHERE (id = ANY ($1) OR extends_run_id = ANY ($1)) AND ($2::uuid IS NULL OR team_id = $2)
     ) ORDER BY id FOR NO KEY UPDATE`,
    [runIds, teamId ?? null],
  );
}

/**
 * Deletes runs of one team, with the samples that were added to them, once their owners are locked (`lockOwners`).
 * @returns all that were deleted; not while one of them, or a rescore of one, is active
 */
export async function deleteRuns(client: PoolClient, runIds: readonly string[]): Promise<DeletedRun[] | 'unfinished'> {
  await client.query(
    `SELECT 1 FROM target WHERE run_id IN (SELECT id FROM run WHERE id = ANY ($1) OR extends_run_id = ANY ($1))
     ORDER BY run_id, ordinal FOR UPDATE`,
    [runIds],
  );
  const { rows } = await client.query<{ id: string; status: JobStatus }>(
    'SELECT id, status FROM run WHERE id = ANY ($1) OR extends_run_id = ANY ($1) ORDER BY id FOR UPDATE',
    [runIds],
  );
  if (rows.some(({ status }) => !isFinished(status))) return 'unfinished';
  const ids = rows.map(({ id }) => id);
  // Adding samples locks the run: a separate statement sees samples that were added while this one waited for that.
  const added = await client.query('SELECT 1 FROM run WHERE extends_run_id = ANY ($1) AND id <> ALL ($2) LIMIT 1', [
    runIds,
    ids,
  ]);
  if (added.rowCount) return 'unfinished';
  await deleteReportsOn(client, ids);
  const rescores = await client.query<{ status: JobStatus }>(
    'SELECT j.status FROM rescore s JOIN job j ON j.id = s.job_id WHERE s.run_id = ANY ($1)',
    [ids],
  );
  if (rescores.rows.some(({ status }) => !isFinished(status))) return 'unfinished';
  await lockExperiments(client, ids);
  await client.query(
    `INSERT INTO purge (run_id, job_ids)
     SELECT r.id, ARRAY(
       SELECT j.id FROM job j WHERE j.team_id = r.team_id AND j.result_ref = r.id::text
       UNION ALL SELECT s.job_id FROM rescore s WHERE s.run_id = r.id
     ) FROM run r WHERE r.id = ANY ($1)`,
    [ids],
  );
  await client.query('DELETE FROM job WHERE id IN (SELECT unnest(job_ids) FROM purge WHERE run_id = ANY ($1))', [ids]);
  await client.query('DELETE FROM rescore WHERE run_id = ANY ($1)', [ids]);
  await forgetInExperiments(client, ids);
  await client.query('DELETE FROM gate_look WHERE run_id = ANY ($1) OR baseline_run_id = ANY ($1)', [ids]);
  await client.query('DELETE FROM mark WHERE subject_id = ANY ($1)', [ids]);
  const deleted = await client.query<DeletedRun & { team_id: string }>(
    `DELETE FROM run WHERE id = ANY ($1)
     RETURNING id, name, suite_id, suite_name, suite_version, status, score, created_at, team_id`,
    [ids],
  );
  await recountStorageOf(
    client,
    deleted.rows.map(({ team_id: teamId }) => teamId),
  );
  return deleted.rows.map(({ team_id: _, ...run }) => run);
}

/**
 * Deletes the judges' reports on runs, because they contain replies of the runs.
 * @throws ProblemError 409 while one of them is active
 */
async function deleteReportsOn(client: PoolClient, runIds: readonly string[]): Promise<void> {
  const { rows: reports } = await client.query<{ id: string; job_id: string; status: JobStatus }>(
    `SELECT o.id, o.job_id, j.status
     FROM judge_report p JOIN orchestration o ON o.id = p.id JOIN job j ON j.id = o.job_id
     WHERE p.run_id = ANY ($1) OR p.baseline_id = ANY ($1) ORDER BY o.id FOR UPDATE OF o`,
    [runIds],
  );
  const unfinished = reports.find(({ status }) => !isFinished(status));
  if (unfinished)
    throw new ProblemError(409, 'A judge is judging the run. Cancel that first.').as('job_unfinished', {
      job_id: unfinished.job_id,
      status: unfinished.status,
    });
  await hideParents(
    client,
    reports.map(({ id }) => id),
  );
}

/** In the order of `lockUser`, followed by the gates that referred to the runs. */
async function lockExperiments(client: PoolClient, runIds: readonly string[]): Promise<void> {
  await client.query(
    `SELECT 1 FROM experiment WHERE baseline_run_id = ANY ($1) OR id IN (
       SELECT experiment_id FROM run WHERE id = ANY ($1)
       UNION SELECT experiment_id FROM experiment_comparison WHERE run_id = ANY ($1) OR against_run_id = ANY ($1)
     ) ORDER BY id FOR NO KEY UPDATE`,
    [runIds],
  );
  await client.query(
    `SELECT 1 FROM gate WHERE id IN (
       SELECT gate_id FROM gate_look WHERE run_id = ANY ($1) OR baseline_run_id = ANY ($1)
     ) ORDER BY id FOR NO KEY UPDATE`,
    [runIds],
  );
}

/** Triggers of `run` and `experiment` ensure that the figures of the experiments are recomputed. */
async function forgetInExperiments(client: PoolClient, runIds: readonly string[]): Promise<void> {
  await client.query('DELETE FROM experiment_comparison WHERE run_id = ANY ($1) OR against_run_id = ANY ($1)', [
    runIds,
  ]);
  await client.query('UPDATE experiment SET baseline_run_id = NULL WHERE baseline_run_id = ANY ($1)', [runIds]);
  await client.query(
    `UPDATE experiment SET best_run_id = CASE WHEN best_run_id <> ALL ($1) THEN best_run_id END,
       tied_with = CASE WHEN best_run_id = ANY ($1) THEN '{}'
         ELSE ARRAY(SELECT id FROM unnest(tied_with) WITH ORDINALITY AS t (id, n) WHERE id <> ALL ($1) ORDER BY n) END
     WHERE id IN (SELECT experiment_id FROM run WHERE id = ANY ($1))`,
    [runIds],
  );
}

const ITEM = 'target, case_position, sample';

/**
 * Deleted runs with results, exchanges, labels, notes, figures or logs left, in random order: runs that wait for a lock
 * and fail do not block the others forever.
 */
export async function runsToPurge(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ run_id: string }>('SELECT run_id FROM purge ORDER BY random() LIMIT 1000');
  return rows.map(({ run_id }) => run_id);
}

/**
 * Removes a batch of an owner's rows.
 * @param table its name, the column of the owner, and the other columns of its key
 * @returns whether there were any
 */
export async function removePiece(
  pool: Pool,
  [table, owner, key]: readonly [string, string, string],
  id: string,
  pieceSize: number,
): Promise<boolean> {
  const { rowCount } = await longQuery(
    pool,
    `DELETE FROM ${table} WHERE ${owner} = $1
       AND (${key}) IN (SELECT ${key} FROM ${table} WHERE ${owner} = $1 LIMIT $2)`,
    [id, pieceSize],
  );
  return rowCount !== 0;
}

const ROWS = [
  ['exchange', ITEM],
  ['conversation_round', `${ITEM}, round`],
  ['result', ITEM],
  ['rescored', `rescore_id, ${ITEM}`],
  ['rescored_case', 'rescore_id, position'],
  ['label', `${ITEM}, user_id`],
  ['result_note', ITEM],
  ['case_figures', 'scoring_id, position'],
  ['failure_group', 'scoring_id, nth'],
  ['redo', 'target, item'],
  ['run_warning', 'code'],
] as const;

/** Removes a batch of what is left of a deleted run. @returns whether there may be more */
export async function purgeRun(pool: Pool, runId: string, pieceSize = 5000): Promise<boolean> {
  for (const [table, key] of ROWS) if (await removePiece(pool, [table, 'run_id', key], runId, pieceSize)) return true;
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
