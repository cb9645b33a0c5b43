import type { JobStatus } from '#lib/contracts/job-status';
import type { Pool } from '#lib/db/connection/pool';
import { HAS_NO_DELETED_PARENT } from '#lib/db/made-by';
import type { JudgeInput } from '../contract.js';

/** A run that is to be judged. */
export interface JudgeableRun {
  id: string;
  status: JobStatus;
  suiteId: string;
  experimentId: string | null;
  targets: string[];
  /** Number of results with a score. */
  scored: number;
}

/** @returns undefined when the team has no such run */
export async function readJudgeableRun(pool: Pool, teamId: string, runId: string): Promise<JudgeableRun | undefined> {
  const { rows } = await pool.query<JudgeableRun>(
    `SELECT r.id, r.status, r.suite_id AS "suiteId", r.experiment_id AS "experimentId",
       array_agg(t.provider_key || '::' || t.model_id ORDER BY t.ordinal) AS targets,
       sum(t.settled - t.errored)::int AS scored
     FROM run r JOIN target t ON t.run_id = r.id
     WHERE r.id = $1 AND r.team_id = $2 AND ${HAS_NO_DELETED_PARENT} GROUP BY r.id`,
    [runId, teamId],
  );
  return rows[0];
}

/** How many results failed and score below, counted up to `most` + 1. */
export async function countFailures(
  pool: Pool,
  teamId: string,
  runId: string,
  { below, most }: Pick<JudgeInput, 'below'> & { most: number },
): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (
       SELECT 1 FROM result WHERE run_id = (SELECT id FROM run WHERE id = $1 AND team_id = $2)
         AND NOT passed AND outcome = 'scored' AND ($3::float8 >= 1 OR overall < $3) LIMIT $4
     ) found`,
    [runId, teamId, below, most + 1],
  );
  return rows[0]!.count;
}
