import { DEFAULT_MAX_ERRORED_SHARE } from '#lib/contracts/values/comparison';
import type { BaselineComparison, DeltaObstacle } from '#lib/contracts/comparison';
import type { JobStatus } from '#lib/contracts/job-status';
import type { RecordedConfig, RunConfig } from '#lib/contracts/run-input';
import type { Pool, PoolClient } from '../connection/pool.js';
import { jsonColumn } from '../connection/json-column.js';

/** A run in the view of its experiment. */
export interface RunOfExperiment {
  id: string;
  /** Each resume increments it, which makes figures of the previous generation obsolete. */
  generation: number;
  status: JobStatus;
  /** The run's final score, known once all its targets are finished. */
  score: number | null;
  /** Whether it can be run again, had to call tools, and had few errored results. */
  mayBeBest: boolean;
  /** Canonical; two runs with the same text had the same filter. */
  caseFilter: string;
}

/** What the comparison of an experiment's runs needs. */
export interface ExperimentToCompare {
  id: string;
  teamId: string;
  measure: string;
  margin: number;
  /** The revision that figures computed now belong to. */
  revision: number;
  /** A baseline was deleted; there is none until a user pins another. */
  baselineDeleted: boolean;
  baseline: RunOfExperiment | null;
}

/** Two runs of an experiment that were compared. */
export interface ComparedPair {
  run: RunOfExperiment;
  against: RunOfExperiment;
  delta: number | null;
  differs: DeltaObstacle[];
  /** Whether the run may be the best one, if `against` is the baseline. */
  eligible: boolean;
  comparison: BaselineComparison;
}

export async function readExperiment(pool: Pool, id: string): Promise<ExperimentToCompare | undefined> {
  const { rows } = await pool.query<Omit<ExperimentToCompare, 'baseline'> & { baselineId: string | null }>(
    `SELECT id, team_id AS "teamId", measure, margin, revision, baseline_deleted AS "baselineDeleted",
       baseline_run_id AS "baselineId"
     FROM experiment WHERE id = $1`,
    [id],
  );
  if (!rows[0]) return undefined;
  const { baselineId, ...experiment } = rows[0];
  return { ...experiment, baseline: baselineId === null ? null : ((await readRun(pool, baselineId)) ?? null) };
}

export async function readRun(pool: Pool, id: string): Promise<RunOfExperiment | undefined> {
  const { rows } = await pool.query<
    Omit<RunOfExperiment, 'mayBeBest' | 'caseFilter'> & { config: string; erroredShare: number | null }
  >(
    `SELECT r.id, r.generation, r.status, r.config, coalesce(r.score, t.score) AS score, t.errored AS "erroredShare"
     FROM run r CROSS JOIN LATERAL (
       SELECT ${MEAN_OF_TARGETS} AS score, sum(errored)::float8 / nullif(sum(n), 0) AS errored
       FROM target WHERE run_id = r.id
     ) t WHERE r.id = $1`,
    [id],
  );
  if (!rows[0]) return undefined;
  const { config: text, erroredShare, ...run } = rows[0];
  const config = jsonColumn<RunConfig | RecordedConfig>(text);
  const { tags, category } = config.case_filter ?? {};
  return {
    ...run,
    mayBeBest:
      !('recorded' in config) &&
      config.tool_choice !== 'none' &&
      erroredShare !== null &&
      erroredShare <= DEFAULT_MAX_ERRORED_SHARE,
    caseFilter: JSON.stringify([[...new Set(tags)].sort(), category ?? null]),
  };
}

/** SQL: the score of a run: the mean of its targets' summaries, without targets that have nothing scored. */
export const MEAN_OF_TARGETS = `avg((summary::json ->> 'overall')::float8)`;

/** SQL: the run `r` has ended, and has something to compare. */
export const HAS_ENDED = `(
  r.status = 'completed' OR r.status IN ('cancelled', 'budget_exceeded') AND r.score IS NOT NULL
)`;

/** Same as `HAS_ENDED`. */
export const hasEnded = ({ status, score }: RunOfExperiment): boolean =>
  status === 'completed' || (['cancelled', 'budget_exceeded'].includes(status) && score !== null);

/**
 * Stores a comparison, unless the experiment or a run is gone, or a run was resumed since.
 * @param db a pool; or the client of a transaction that has locked the experiment, which keeps the runs unchanged
 */
export async function storePair(
  db: Pool | PoolClient,
  experimentId: string,
  { run, against, delta, differs, eligible, comparison }: ComparedPair,
): Promise<void> {
  const keepRuns = 'release' in db ? '' : 'FOR KEY SHARE OF r, a';
  await db.query(
    `INSERT INTO experiment_comparison (experiment_id, run_id, against_run_id, run_generation, against_generation,
       delta, differs, eligible, comparison)
     SELECT e.id, r.id, a.id, r.generation, a.generation, $6, $7, $8, $9 FROM experiment e, run r, run a
     WHERE e.id = $1 AND r.id = $2 AND r.generation = $3 AND a.id = $4 AND a.generation = $5
     ${keepRuns}
     ON CONFLICT (experiment_id, run_id, against_run_id) DO UPDATE SET run_generation = excluded.run_generation,
       against_generation = excluded.against_generation, delta = excluded.delta, differs = excluded.differs,
       eligible = excluded.eligible, comparison = excluded.comparison`,
    [
      experimentId,
      run.id,
      run.generation,
      against.id,
      against.generation,
      delta,
      differs,
      eligible,
      JSON.stringify(comparison),
    ],
  );
}
