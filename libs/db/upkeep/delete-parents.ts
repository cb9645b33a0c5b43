import { isFinished } from '#lib/contracts/values/jobs';
import type { JobStatus } from '#lib/contracts/job-status';
import { ORCHESTRATION_KINDS } from '#lib/contracts/orchestration-kinds';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { deleteRuns, lockOwners, removePiece } from './delete-run.js';
import { hideParents } from './hide-parents.js';

/** An orchestration that was deleted, as the audit says it. */
interface DeletedParent {
  id: string;
  name: string | null;
  status: JobStatus;
  created_at: Date;
}

/**
 * Deletes the orchestrations of a deleted subject. The runs they created are removed after the response; promoted runs
 * stay.
 * @returns those that were deleted; not while one of them is active
 */
export async function deleteOrchestrations(
  client: PoolClient,
  { teamId, subjectId }: { teamId: string; subjectId: string },
): Promise<DeletedParent[] | 'unfinished'> {
  const { rows } = await client.query<DeletedParent>(
    `SELECT o.id, o.name, j.status, o.created_at FROM orchestration o JOIN job j ON j.id = o.job_id
     WHERE o.team_id = $1 AND o.subject_id = $2 ORDER BY o.id FOR UPDATE OF o`,
    [teamId, subjectId],
  );
  if (rows.some(({ status }) => !isFinished(status))) return 'unfinished';
  await hideParents(
    client,
    rows.map(({ id }) => id),
  );
  return rows;
}

/** Deleted parents with runs or rows left, in random order like `runsToPurge`. */
export async function parentsToRemove(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM orchestration WHERE team_id = id ORDER BY random() LIMIT 1000',
  );
  return rows.map(({ id }) => id);
}

/**
 * Removes a batch of a deleted parent: some of its runs, or of its rows.
 * @returns whether there may be more that can be removed now
 */
export async function removeParent(pool: Pool, id: string, { runs = 50, rows = 5000 } = {}): Promise<boolean> {
  const removed = await inTransaction(pool, async (client) => {
    const { rows: children } = await client.query<{ id: string }>(
      'SELECT id FROM run WHERE orchestration_id = $1 ORDER BY id LIMIT $2',
      [id, runs],
    );
    if (children.length === 0) return 'none';
    const runIds = children.map((child) => child.id);
    await client.query(`SET LOCAL lock_timeout = '5s'`);
    await lockOwners(client, runIds);
    return deleteRuns(client, runIds);
  });
  if (removed !== 'none') return removed !== 'unfinished';
  for (const of of ORCHESTRATION_KINDS.flatMap(({ rows: tables }) => [...tables]))
    if (await removePiece(pool, of, id, rows)) return true;
  await pool.query('DELETE FROM orchestration WHERE id = $1 AND team_id = id', [id]);
  return false;
}
