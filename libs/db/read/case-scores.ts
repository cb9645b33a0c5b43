import type { Pool, PoolClient } from '../connection/pool.js';

/** The scores of a run's target, case by case. Its results are grouped in Postgres: a million are a few megabytes. */
export interface CaseScores {
  /** Positions of the cases that have a score, separated by spaces; null if none has. */
  positions: string | null;
  /** The means over the scored samples of these cases, in the same format. */
  means: string | null;
  /** The mean over all scored samples; null if there are none. */
  mean: number | null;
  scored: number;
  errored: number;
}

/** The overall scores of a target. It only reads numbers: the first verdicts of the run. */
export async function readCaseScores(
  db: Pool | PoolClient,
  teamId: string,
  { runId, ordinal }: { runId: string; ordinal: number },
): Promise<CaseScores> {
  const { rows } = await db.query<CaseScores>(
    `SELECT string_agg(position::text, ' ') FILTER (WHERE scored > 0) AS positions,
       string_agg((total / nullif(scored, 0))::text, ' ') FILTER (WHERE scored > 0) AS means,
       sum(total) / nullif(sum(scored), 0)::float8 AS mean,
       coalesce(sum(scored), 0)::int AS scored, coalesce(sum(results - scored), 0)::int AS errored
     FROM (
       SELECT case_position AS position, sum(overall) AS total, count(overall) AS scored, count(*) AS results
       FROM result
       WHERE run_id = $1 AND target = $2 AND EXISTS (SELECT 1 FROM run WHERE id = $1 AND team_id = $3)
       GROUP BY case_position
     ) one_case`,
    [runId, ordinal, teamId],
  );
  return rows[0]!;
}
