import { inTransaction, type Pool } from '../connection/pool.js';
import { auditFirstRun } from './place-run.js';
import { HAS_ENDED, type ExperimentToCompare, type RunOfExperiment } from './experiment-pairs.js';

// The figures of an experiment are its baseline (if the first run became it), the best run and those tied with it, and
// the comparisons of its runs with the baseline. They are stale while `revision` is above `refreshed_revision`. A
// refresh first makes the missing comparisons, each stored separately, so that the next attempt continues from there.
// Then it writes the figures in one transaction, if the revision is still the one they were computed for.

/** Maximum number of experiments per team and turn, so that a team with very many does not hold up the others. */
const PER_TEAM = 20;

export interface ExperimentToRefresh {
  id: string;
  teamId: string;
}

/**
 * Experiments with a run that this process is too old to compare are left to others.
 * @param except experiments to leave for later
 */
export async function experimentsToRefresh(pool: Pool, except: readonly string[]): Promise<ExperimentToRefresh[]> {
  const { rows } = await pool.query<ExperimentToRefresh>({
    name: 'experiments_to_refresh',
    text: `SELECT id, team_id AS "teamId" FROM (
       SELECT id, team_id, row_number() OVER (PARTITION BY team_id ORDER BY id) AS n
       FROM experiment e
       WHERE (revision > refreshed_revision OR NOT models_compared) AND id <> ALL ($2) AND NOT EXISTS (
         SELECT 1 FROM run r WHERE r.experiment_id = e.id AND r.worker_level > level_of_session()
       )
     ) stale
     WHERE n <= $1 ORDER BY n LIMIT 1000`,
    values: [PER_TEAM, except],
  });
  return rows;
}

/**
 * Makes the first completed run the baseline of an experiment that never had one. A run of this release becomes the
 * baseline when it ends; this is for experiments and runs of the previous release.
 * @returns whether there was one
 */
export async function adoptFirstRun(pool: Pool, experimentId: string): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `SELECT r.id FROM run r JOIN experiment e ON e.id = r.experiment_id AND e.suite_id = r.suite_id
       WHERE e.id = $1 AND r.status = 'completed' AND r.score IS NOT NULL
       ORDER BY r.finished_at, r.id LIMIT 1 FOR SHARE OF r`,
      [experimentId],
    );
    if (!rows[0]) return false;
    const { rows: adopted } = await client.query<{ teamId: string }>(
      `UPDATE experiment SET baseline_run_id = $2, baseline_set_by = 'first_run', updated_at = now()
       WHERE id = $1 AND baseline_run_id IS NULL AND NOT baseline_deleted RETURNING team_id AS "teamId"`,
      [experimentId, rows[0].id],
    );
    if (adopted[0]) await auditFirstRun(client, adopted[0].teamId, experimentId, rows[0].id);
    return adopted.length > 0;
  });
}

/**
 * The next ended runs of an experiment that have not been compared with another run in their current generations.
 * @param among only these; undefined: all of the experiment
 */
export async function runsToCompare(
  pool: Pool,
  experimentId: string,
  against: RunOfExperiment,
  { among, except, limit }: { among?: readonly string[]; except: readonly string[]; limit: number },
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT r.id FROM run r
     WHERE r.experiment_id = $1 AND r.id <> $2 AND ${HAS_ENDED} AND r.id <> ALL ($4)
       AND ($5::uuid[] IS NULL OR r.id = ANY ($5))
       AND NOT EXISTS (
         SELECT 1 FROM experiment_comparison c
         WHERE c.experiment_id = $1 AND c.run_id = r.id AND c.against_run_id = $2
           AND c.run_generation = r.generation AND c.against_generation = $3
           AND c.comparison::json -> 'models' IS NOT NULL
       )
     ORDER BY r.id DESC LIMIT $6`,
    [experimentId, against.id, against.generation, except, among ?? null, limit],
  );
  return rows.map(({ id }) => id);
}

/**
 * The runs that are called worse than one of these, or a model of which is: in these words they are shown, so nothing
 * else may say that they are as good.
 */
export async function readWorse(
  pool: Pool,
  experimentId: string,
  than: readonly RunOfExperiment[],
): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT c.run_id AS id
     FROM experiment_comparison c JOIN run r ON r.id = c.run_id AND r.generation = c.run_generation
       JOIN unnest($2::uuid[], $3::int[]) AS a (id, generation)
         ON a.id = c.against_run_id AND a.generation = c.against_generation
     WHERE c.experiment_id = $1 AND (c.comparison::json ->> 'verdict' = 'regressed'
       OR (c.comparison::json #>> '{models,regressed}')::int > 0)`,
    [experimentId, than.map(({ id }) => id), than.map(({ generation }) => generation)],
  );
  return new Set(rows.map(({ id }) => id));
}

/** The result of a refresh. */
export interface ExperimentFigures {
  bestId: string | null;
  tiedWith: readonly string[];
  /** False if some comparison failed and will be retried. */
  isComplete: boolean;
}

/**
 * Writes the figures of an experiment and of its runs.
 * @returns false when something changed since the experiment was read: nothing is written
 */
export async function storeFigures(
  pool: Pool,
  { id, revision, baseline }: ExperimentToCompare,
  { bestId, tiedWith, isComplete }: ExperimentFigures,
): Promise<boolean> {
  const compared = [id, baseline?.id ?? null, baseline?.generation ?? null];
  return inTransaction(pool, async (client) => {
    // Before the experiment, and in the common lock order.
    const changed = await client.query<{ id: string }>(
      `SELECT r.id ${BESIDE_BASELINE} AND (r.delta, r.differs, r.comparison)
         IS DISTINCT FROM (c.delta, coalesce(c.differs, '{}'), c.comparison)
       ORDER BY r.id FOR NO KEY UPDATE OF r`,
      compared,
    );
    const current = await client.query('SELECT 1 FROM experiment WHERE id = $1 AND revision = $2 FOR NO KEY UPDATE', [
      id,
      revision,
    ]);
    if (current.rowCount === 0) return false;
    await client.query(
      `UPDATE run SET delta = f.delta, differs = f.differs, comparison = f.comparison
       FROM (SELECT r.id, c.delta, coalesce(c.differs, '{}') AS differs, c.comparison ${BESIDE_BASELINE}) f
       WHERE run.id = f.id AND run.id = ANY ($4)`,
      [...compared, changed.rows.map((row) => row.id)],
    );
    await client.query(
      `UPDATE experiment SET best_run_id = $2, tied_with = $3,
         refreshed_revision = CASE WHEN $4 THEN revision ELSE refreshed_revision END,
         models_compared = models_compared OR $4
       WHERE id = $1`,
      [id, bestId, tiedWith, isComplete],
    );
    await client.query('DELETE FROM experiment_comparison WHERE experiment_id = $1 AND against_run_id <> ALL ($2)', [
      id,
      [baseline?.id, bestId].filter((kept) => kept),
    ]);
    return true;
  });
}

/** SQL: the runs of experiment $1 that have ended, and their comparison with the baseline $2 in its generation $3. */
const BESIDE_BASELINE = `FROM run r LEFT JOIN experiment_comparison c ON c.experiment_id = $1 AND c.run_id = r.id
    AND c.against_run_id = $2 AND c.run_generation = r.generation AND c.against_generation = $3
  WHERE r.experiment_id = $1 AND ${HAS_ENDED}`;
