import type { Pool, PoolClient } from '../connection/pool.js';
import type { RunOfExperiment } from './experiment-pairs.js';

/** A run that may be the best one of its experiment. */
export interface Candidate {
  id: string;
  score: number;
}

/**
 * The runs of an experiment that may be the best one, best first: completed ones with the baseline's models and cases
 * that could be run again. Sorted by score, then by time of completion, earliest first. Scores that differ only by
 * rounding are equal: means of the same verdicts in another order differ in the last digit.
 */
export async function readCandidates(
  client: Pool | PoolClient,
  experimentId: string,
  baseline: RunOfExperiment,
  limit?: number,
): Promise<Candidate[]> {
  const { rows } = await client.query<Candidate>(
    `SELECT r.id, r.score ${COMPLETED_RUNS}
       AND CASE WHEN r.id = $2 THEN $3::boolean ELSE coalesce(c.eligible, false) END
     ORDER BY round(r.score::numeric, 12) DESC, r.finished_at, r.id LIMIT $4`,
    [experimentId, baseline.id, baseline.mayBeBest, limit ?? null],
  );
  return rows;
}

/** Whether each completed run was compared with the baseline, so that all candidates are known. */
export async function areCandidatesKnown(
  client: PoolClient,
  experimentId: string,
  baseline: RunOfExperiment,
): Promise<boolean> {
  const { rowCount } = await client.query(`SELECT 1 ${COMPLETED_RUNS} AND r.id <> $2 AND c.eligible IS NULL LIMIT 1`, [
    experimentId,
    baseline.id,
  ]);
  return rowCount === 0;
}

/**
 * SQL: the completed runs of experiment $1 and their comparison with the baseline $2. The baseline's generation does
 * not matter here: a resume changes neither models nor cases.
 */
const COMPLETED_RUNS = `FROM run r LEFT JOIN experiment_comparison c ON c.experiment_id = $1 AND c.run_id = r.id
    AND c.against_run_id = $2 AND c.run_generation = r.generation
  WHERE r.experiment_id = $1 AND r.status = 'completed' AND r.score IS NOT NULL`;
