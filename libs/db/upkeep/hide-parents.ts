import type { PoolClient } from '../connection/pool.js';

// A parent may have created thousands of runs. Deleting it only hides it: it no longer belongs to a team, which is
// stored as its own id in place of the team's, and its jobs are gone. So it is in no list and not found by id, even in
// the previous release. `removeParent` removes the runs in batches, and the parent last.

/** Hides parents that have ended. Promoted runs stay, without their parent. */
export async function hideParents(client: PoolClient, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await client.query(
    `WITH gone AS (
       DELETE FROM job USING orchestration o
       WHERE o.id = ANY ($1::uuid[]) AND job.team_id = o.team_id AND job.result_ref = o.id::text
       RETURNING job.id, o.id AS parent
     )
     INSERT INTO purge (run_id, job_ids) SELECT parent, array_agg(id) FROM gone GROUP BY parent`,
    [ids],
  );
  await client.query(
    `UPDATE run SET orchestration_id = NULL WHERE id IN (
       SELECT id FROM run WHERE orchestration_id = ANY ($1) AND listed ORDER BY id FOR NO KEY UPDATE
     )`,
    [ids],
  );
  await client.query('UPDATE judge_report SET team_id = id, asked_by = NULL WHERE id = ANY ($1)', [ids]);
  await client.query(
    `UPDATE orchestration SET team_id = id, subject_id = id, experiment_id = NULL, step = NULL WHERE id = ANY ($1)`,
    [ids],
  );
}
