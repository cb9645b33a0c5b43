import type { Pool, PoolClient } from '../connection/pool.js';

/** What a target scored in a case of a run. */
export interface CaseScores {
  position: number;
  scored: number;
  errored: number;
  passed: number;
  /** Over the scored samples; null where there are none. */
  mean: number | null;
  /** Their sample variance; null under two of them. */
  variance: number | null;
}

/**
 * The overall score of each case of a target, in the order of the cases. It reads nothing but numbers: the first
 * verdicts of the run.
 */
export async function readCaseScores(
  db: Pool | PoolClient,
  teamId: string,
  { runId, ordinal }: { runId: string; ordinal: number },
): Promise<CaseScores[]> {
  const { rows } = await db.query<CaseScores>(
    `SELECT case_position AS position, count(overall)::int AS scored,
       count(*) FILTER (WHERE overall IS NULL)::int AS errored, count(*) FILTER (WHERE passed)::int AS passed,
       avg(overall) AS mean, var_samp(overall) AS variance
     FROM result
     WHERE run_id = $1 AND target = $2 AND EXISTS (SELECT 1 FROM run WHERE id = $1 AND team_id = $3)
     GROUP BY case_position ORDER BY case_position`,
    [runId, ordinal, teamId],
  );
  return rows;
}
