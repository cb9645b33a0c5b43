import type { Pool } from '#lib/db/connection/pool';

/** How many samples per case a run has. */
export interface RunSamples {
  /** Without added samples. */
  first: number;
  /** With the samples added to all of its cases. */
  now: number;
  /** Items per further sample of every case: cases times targets. */
  itemsPerSample: number;
  targets: number;
  /** A recorded run: its replies were made elsewhere, and no samples can be added. */
  recorded: boolean;
}

/** @returns undefined when the run was deleted */
export async function readSamples(pool: Pool, runId: string): Promise<RunSamples | undefined> {
  const { rows } = await pool.query<RunSamples>(
    `SELECT r.samples AS first, r.samples + (
         SELECT coalesce(sum(e.samples), 0)::int FROM run e
         WHERE e.extends_run_id = r.id AND e.status = 'completed' AND e.case_positions = r.case_positions
       ) AS now, t.n / r.samples AS "itemsPerSample", t.targets, t.recorded
     FROM run r CROSS JOIN LATERAL (
       SELECT sum(n)::int AS n, count(*)::int AS targets, bool_or(recorded) AS recorded FROM target WHERE run_id = r.id
     ) t WHERE r.id = $1`,
    [runId],
  );
  return rows[0];
}
