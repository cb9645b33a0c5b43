import type pg from 'pg';

/** Every item has exactly one result, the log has no gap, and the counters match a recount. */
export async function expectExact(sql: pg.Pool, evalId: string, items: number): Promise<void> {
  const { rows } = await sql.query(
    `SELECT (SELECT count(*)::int FROM result WHERE run_id = $1) AS results, (SELECT count(*)::int FROM in_flight
      WHERE run_id = $1) AS in_flight,
       (SELECT sum(settled)::int FROM target WHERE run_id = $1) AS settled, (SELECT sum(passed)::int FROM target
         WHERE run_id = $1) AS passed,
       (SELECT count(*)::int FROM result WHERE run_id = $1 AND passed) AS recounted, j.done, j.last_seq,
       (SELECT count(DISTINCT seq)::int FROM (SELECT seq FROM result WHERE run_id = $1 UNION ALL SELECT seq
         FROM job_event WHERE job_id = j.id) s) AS numbers
     FROM job j WHERE j.result_ref = $1::text`,
    [evalId],
  );
  const row = rows[0];
  expect(row).toMatchObject({
    results: items,
    in_flight: 0,
    settled: items,
    done: items,
    passed: row.recounted,
    numbers: row.last_seq,
  });
}
