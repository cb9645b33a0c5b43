import { notFound } from '#lib/contracts/input/problem';
import type { Run } from '#lib/contracts/run';
import type { RunLabels } from '#lib/contracts/run-input';
import type { PoolClient } from '../connection/pool.js';

type Labels = Pick<Run, 'name' | 'note'>;

/**
 * Changes the name and the note of a run; omitted fields keep their values.
 * @returns the earlier and the current ones
 * @throws ProblemError 404
 */
export async function labelRun(
  client: PoolClient,
  { teamId, runId }: { teamId: string; runId: string },
  { name, note }: RunLabels,
): Promise<{ before: Labels; after: Labels }> {
  const { rows } = await client.query<{ before: Labels; after: Labels }>(
    `UPDATE run r SET name = CASE WHEN $3 THEN $4 ELSE r.name END, note = CASE WHEN $5 THEN $6 ELSE r.note END
     FROM (SELECT id, name, note FROM run WHERE id = $1 AND team_id = $2 FOR NO KEY UPDATE) earlier
     WHERE r.id = earlier.id
     RETURNING json_build_object('name', earlier.name, 'note', earlier.note) AS before,
       json_build_object('name', r.name, 'note', r.note) AS after`,
    [runId, teamId, name !== undefined, name ?? null, note !== undefined, note || null],
  );
  if (!rows[0]) throw notFound('run', runId);
  return rows[0];
}
