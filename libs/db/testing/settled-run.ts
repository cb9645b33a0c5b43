import type { Pool } from '../connection/pool.js';

/** The score of one sample of a case; null: it errored; undefined: it has no result. */
export type Outcome = number | null | undefined;

/**
 * Gives a submitted run its results, as if its models had replied, and finishes its targets. The run itself has not
 * ended.
 * @param outcomes of the cases in their order, the same for each target and sample
 */
export async function settleRun(pool: Pool, runId: string, outcomes: readonly Outcome[]): Promise<void> {
  await pool.query('DELETE FROM result WHERE run_id = $1', [runId]);
  await pool.query(
    `INSERT INTO result (run_id, target, case_position, sample, generation, seq, outcome, passed, overall, error_type,
       error_kind, abstention, called, scoring_version, attempts)
     SELECT r.id, t.ordinal, coalesce(r.case_positions[u.n], u.n - 1), r.first_sample + s, r.generation,
       (u.n - 1) * r.samples + s + 1, CASE WHEN u.score IS NULL THEN 'errored' ELSE 'scored' END,
       u.score IS NOT DISTINCT FROM 1, u.score, CASE WHEN u.score IS NULL THEN 'api_error' ELSE 'none' END,
       CASE WHEN u.score IS NULL THEN 'network' END, false, '[]', 1, 1
     FROM run r JOIN target t ON t.run_id = r.id, generate_series(0, r.samples - 1) s,
       unnest($2::float8[], $3::bool[]) WITH ORDINALITY AS u (score, given, n)
     WHERE r.id = $1 AND u.given`,
    [runId, outcomes.map((score) => score ?? null), outcomes.map((score) => score !== undefined)],
  );
  const scores = outcomes.filter((score) => typeof score === 'number');
  const overall = scores.length ? scores.reduce((a, b) => a + b, 0) / scores.length : null;
  const settled = outcomes.filter((score) => score !== undefined).length;
  await pool.query(
    `UPDATE target t SET active = false, cursor = n, settled = $2 * r.samples, errored = $3 * r.samples,
       requests = $2 * r.samples, finished_at = now(),
       summary = json_build_object('target', provider_key || '::' || model_id, 'overall', $4::float8)
     FROM run r WHERE r.id = t.run_id AND run_id = $1`,
    [runId, settled, settled - scores.length, overall],
  );
  await pool.query(
    `UPDATE job j SET done = t.settled, errored = t.errored
     FROM (SELECT sum(settled)::int AS settled, sum(errored)::int AS errored FROM target WHERE run_id = $1) t
     WHERE j.id = (SELECT job_id FROM run WHERE id = $1)`,
    [runId],
  );
  await pool.query(`UPDATE run SET status = 'running' WHERE id = $1 AND status IN ('pending', 'queued')`, [runId]);
}
