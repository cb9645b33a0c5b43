import type { BaselineComparison } from '#lib/contracts/comparison';
import type { Pool } from '../connection/pool.js';

// A trigger of `run` writes a row of `run_against` when a run ends, and raises its revision with whatever may change
// the comparison. A worker looks for the run before it, compares the two without a lock, and stores the comparison in
// one statement, if both are still in the generations that were compared. Whatever dies before, the row stays due.

/** The maximum per team and turn, so that a team with very many does not hold up the others. */
const PER_TEAM = 5;

export interface RunToCompare {
  id: string;
  teamId: string;
  generation: number;
  /** The revision that a comparison made now belongs to. */
  revision: number;
  /** Whether its comparison belongs to this revision, and only its points of trends are missing. */
  isCompared: boolean;
}

/**
 * Ended runs that have not been compared with the one before them, or are not among the points of trends: the newest of
 * each team first.
 * @param except runs to leave for later
 */
export async function runsToCompareWithPrevious(pool: Pool, except: readonly string[]): Promise<RunToCompare[]> {
  const { rows } = await pool.query<RunToCompare>({
    name: 'runs_to_compare_with_previous',
    // The conditions on revision and finished_at must be identical to those of the index run_against_due.
    text: `SELECT due.id, t.id AS "teamId", due.generation, due.revision, due."isCompared"
     FROM team t CROSS JOIN LATERAL (
       SELECT a.run_id AS id, r.generation, a.revision, a.revision <= a.compared_revision AS "isCompared"
       FROM run_against a JOIN run r ON r.id = a.run_id
       WHERE a.team_id = t.id AND a.revision > least(a.compared_revision, a.points_revision)
         AND a.finished_at IS NOT NULL AND a.run_id <> ALL ($1) AND r.worker_level <= level_of_session()
       ORDER BY a.run_id DESC LIMIT $2
     ) due
     LIMIT 1000`,
    values: [except, PER_TEAM],
  });
  return rows;
}

/**
 * The run before it: the last one of the same suite with the same models and parameters that ended earlier.
 * @returns its id; null when there is none
 */
export async function previousRunOf(pool: Pool, runId: string): Promise<string | null> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT b.run_id AS id FROM run_against a JOIN run_against b
       ON b.team_id = a.team_id AND b.suite_id = a.suite_id AND b.models = a.models
       AND (b.finished_at, b.run_id) < (a.finished_at, a.run_id)
     WHERE a.run_id = $1 ORDER BY b.finished_at DESC, b.run_id DESC LIMIT 1`,
    [runId],
  );
  return rows[0]?.id ?? null;
}

/**
 * Stores what a run changed, unless one of the two was resumed or deleted since, or it has to be compared again.
 * @param against null when no run came before it
 */
export async function storeAgainst(
  pool: Pool,
  { id, generation, revision }: Omit<RunToCompare, 'isCompared'>,
  against: { id: string; generation: number; comparison: BaselineComparison } | null,
): Promise<void> {
  await pool.query(
    // A shared lock: a resume that is being committed must see the row that it has to mark.
    `WITH unchanged AS MATERIALIZED (
       SELECT id FROM run WHERE (id = $1 AND generation = $2) OR (id = $4 AND generation = $5) ORDER BY id FOR SHARE
     )
     UPDATE run_against SET compared_revision = revision, run_generation = $2, against_run_id = $4,
       against_generation = $5, comparison = $6
     WHERE run_id = $1 AND revision = $3
       AND (SELECT count(*) FROM unchanged) = CASE WHEN $4::uuid IS NULL THEN 1 ELSE 2 END`,
    [
      id,
      generation,
      revision,
      against?.id ?? null,
      against?.generation ?? null,
      against && JSON.stringify(against.comparison),
    ],
  );
}
