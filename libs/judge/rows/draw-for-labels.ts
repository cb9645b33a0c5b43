import type { PoolClient } from '#lib/db/connection/pool';
import type { ResultKey } from '#lib/db/read/results';
import { MAX_JUDGED } from '../contract.js';
import { SAME_RESULT, TELLS } from './labelled.js';

/** The judgements to draw from: those with a judge's current fingerprint, on one run or on all. */
export interface DrawnFrom {
  teamId: string;
  fingerprint: string;
  runId: string | undefined;
}

/** A result to label, and the report that judged it. */
export interface Draw extends ResultKey {
  report_id: string;
}

/** A draw uses the newest reports: up to this many, and only those that start within this many results. */
const POOL = { reports: 200, results: MAX_JUDGED };

/**
 * Draws results for people to label, half of them judged ok and half wrong, as far as available. It stores the
 * probability of each draw. Concurrent callers are serialised, so that they get the same results.
 *
 * Every result has a fixed random rank, and the lowest ranks are drawn, including results that already have labels.
 * This keeps the draw of each report random regardless of earlier labels, and compares another judge of the same
 * results, or the same judge with other instructions, with the existing labels.
 * @param limit how many results without a label; previously drawn ones come first
 * @returns the draws in an order that is independent of their verdicts, and the number of judged results without a
 * label
 */
export async function drawForLabels(
  client: PoolClient,
  { teamId, fingerprint, runId }: DrawnFrom,
  limit: number,
): Promise<{ draws: Draw[]; left: number }> {
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`draws of ${teamId} ${fingerprint}`]);
  const { rows } = await client.query<Draw & { left: number }>(DRAW, [teamId, fingerprint, runId ?? null, limit]);
  return { draws: rows.map(({ left: _left, ...draw }) => draw), left: rows[0]?.left ?? 0 };
}

/**
 * `judged` has each result once, as judged by its newest report. `nth` counts results without a label, so that labelled
 * results are drawn together with the next unlabelled one.
 */
const DRAW = `
  WITH newest AS (
    SELECT p.id, coalesce((SELECT max(position) + 1 FROM judgement WHERE report_id = p.id), 0) AS results
    FROM judge_report p
    WHERE p.team_id = $1 AND p.fingerprint = $2 AND p.baseline_id IS NULL AND ($3::uuid IS NULL OR p.run_id = $3)
    ORDER BY p.id DESC LIMIT ${POOL.reports}
  ), pool AS (
    SELECT id FROM (SELECT id, sum(results) OVER (ORDER BY id DESC) - results AS before FROM newest) placed
    WHERE before < ${POOL.results}
  ), judged AS MATERIALIZED (
    SELECT DISTINCT ON (j.run_id, j.target, j.case_position, j.sample)
      j.report_id, j.position, j.run_id, j.target, j.case_position, j.sample, j.verdict = 'wrong' AS wrong,
      j.draw_probability IS NOT NULL AS drawn,
      md5(concat_ws('-', j.run_id, j.target, j.case_position, j.sample)) AS lot,
      EXISTS (
        SELECT 1 FROM label l WHERE ${SAME_RESULT('l', 'j')} AND l.team_id = $1
      ) AS labelled
    FROM pool JOIN judgement j ON j.report_id = pool.id
    WHERE ${TELLS('j')}
    ORDER BY j.run_id, j.target, j.case_position, j.sample, j.report_id DESC
  ), unlabelled AS (
    SELECT count(*) FILTER (WHERE NOT wrong)::int AS ok, count(*) FILTER (WHERE wrong)::int AS wrong
    FROM judged WHERE NOT labelled
  ), placed AS (
    SELECT j.*, count(*) FILTER (WHERE NOT labelled) OVER (PARTITION BY wrong ORDER BY NOT drawn, lot) AS nth,
      CASE WHEN wrong THEN (SELECT greatest($4::int / 2, $4 - ok) FROM unlabelled)
        ELSE (SELECT greatest($4 - $4 / 2, $4 - wrong) FROM unlabelled) END AS wanted
    FROM judged j
  ), taken AS (
    SELECT *, drawn OR nth < wanted OR (nth = wanted AND NOT labelled) AS taken FROM placed
  ), stratum AS (
    SELECT report_id, wrong, avg(taken::int)::float8 AS probability FROM taken GROUP BY report_id, wrong
  ), changed AS (
    SELECT j.report_id, j.position, s.probability
    FROM taken t JOIN stratum s ON s.report_id = t.report_id AND s.wrong = t.wrong
      JOIN judgement j ON j.report_id = t.report_id AND j.position = t.position
    WHERE t.taken AND j.draw_probability IS DISTINCT FROM s.probability
  ), kept AS (
    -- Whoever deletes reports has locked them, and deletes their judgements in any order.
    SELECT id FROM orchestration WHERE id IN (SELECT report_id FROM changed) ORDER BY id FOR KEY SHARE
  ), stored AS (
    UPDATE judgement j SET draw_probability = c.probability
    FROM changed c JOIN kept ON kept.id = c.report_id
    WHERE j.report_id = c.report_id AND j.position = c.position
  )
  SELECT report_id, run_id, target, case_position, sample, (SELECT ok + wrong FROM unlabelled) AS "left"
  FROM taken WHERE NOT labelled AND nth <= wanted ORDER BY reverse(lot)`;
