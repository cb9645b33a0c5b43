import type { Pool } from '../connection/pool.js';
import type { Outcome } from './settled-run.js';
import type { createTeam } from './run-fixture.js';

export interface CompletedRun {
  /** For each model the scores of its samples of each case, by the positions of the cases; 1 passes. */
  results: Record<string, readonly (readonly Outcome[])[]>;
  /** The run that this one adds samples to, and the number of its first sample. */
  extending?: { runId: string; firstSample: number };
  status?: string;
}

/** A run with results as if its models had replied, written directly to the tables. @returns its id */
export async function completedRun(
  pool: Pool,
  team: Awaited<ReturnType<typeof createTeam>>,
  { results, extending, status = 'completed' }: CompletedRun,
): Promise<string> {
  const samples = Math.max(...Object.values(results).flatMap((cases) => cases.map((one) => one.length)));
  const { runId } = await team.submit({ models: Object.keys(results), samples });
  const rows = Object.values(results).flatMap((cases, target) =>
    cases.flatMap((scores, position) => scores.map((score, sample) => ({ target, position, sample, score }))),
  );
  const known = rows.filter(({ score }) => score !== undefined);
  const first = extending?.firstSample ?? 0;
  await pool.query(
    `INSERT INTO result (run_id, target, case_position, sample, generation, seq, outcome, passed, overall, error_type,
       abstention, called, scoring_version, attempts, cost_usd)
     SELECT $1, target, position, $2::int + sample, 1, n, CASE WHEN score IS NULL THEN 'errored' ELSE 'scored' END,
       score IS NOT DISTINCT FROM 1, score, CASE WHEN score IS NULL THEN 'errored' ELSE 'none' END,
       false, '[]', 1, 1, 0.5
     FROM unnest($3::int[], $4::int[], $5::int[], $6::float8[])
       WITH ORDINALITY AS u (target, position, sample, score, n)`,
    [
      runId,
      first,
      known.map(({ target }) => target),
      known.map(({ position }) => position),
      known.map(({ sample }) => sample),
      known.map(({ score }) => score),
    ],
  );
  const positions = [...new Set(known.map(({ position }) => position))].sort((a, b) => a - b);
  await pool.query(
    `UPDATE run SET status = $2, extends_run_id = $3, first_sample = $4, case_positions = CASE
       WHEN $3::uuid IS NULL OR cardinality($5::int[]) = (SELECT count(*) FROM suite_version_case
         WHERE version_id = suite_version_id) THEN '{}' ELSE $5::int[] END
     WHERE id = $1`,
    [runId, status, extending?.runId ?? null, first, positions],
  );
  return runId;
}
