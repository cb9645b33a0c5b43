import { notFound } from '#lib/contracts/input/problem';
import type { Run } from '#lib/contracts/run';
import type { RunLabels } from '#lib/contracts/run-input';
import type { PoolClient } from '../connection/pool.js';

/**
 * Changes the name and the note of a run; omitted fields keep their values.
 * @returns the current ones
 * @throws ProblemError 404
 */
export async function labelRun(
  client: PoolClient,
  { teamId, runId }: { teamId: string; runId: string },
  { name, note }: RunLabels,
): Promise<Pick<Run, 'name' | 'note'>> {
  const { rows } = await client.query<Pick<Run, 'name' | 'note'>>(
    `UPDATE run SET name = CASE WHEN $3 THEN $4 ELSE name END, note = CASE WHEN $5 THEN $6 ELSE note END
     WHERE id = $1 AND team_id = $2 RETURNING name, note`,
    [runId, teamId, name !== undefined, name ?? null, note !== undefined, note || null],
  );
  if (!rows[0]) throw notFound('run', runId);
  return rows[0];
}
