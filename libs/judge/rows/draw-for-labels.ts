import type { PoolClient } from '#lib/db/connection/pool';
import type { ResultKey } from '#lib/db/read/results';
import { MAX_JUDGED } from '../contract.js';
import { SAME_RESULT, TELLS } from './calibrations.js';

/** Which judgements are drawn from: those of a judge as it judges now, of one run or of all. */
export interface DrawnFrom {
  teamId: string;
  fingerprint: string;
  runId: string | undefined;
}

/** A result to label, and the report that judged it. */
export interface Draw extends ResultKey {
  report_id: string;
}

/** A draw is from the newest reports: so many at most, and those that begin within so many results. */
const POOL = { reports: 200, results: MAX_JUDGED };

/**
 * Draws results for people to label, half of them judged ok, half wrong, as long as there are such. It stores how
 * likely the draw of each was. Callers take turns, so that two who draw at once get the same.
 *
 * Every result has its lot, which never changes, and the lowest lots are drawn, those of labelled results too. So what
 * was drawn of a report is drawn at random, whatever was labelled before; and another judge of the same results, or
 * the same one with other instructions, is compared with the labels that are there.
 * @param limit how many without a label; those that were drawn before come first
 * @returns them in an order that says nothing of them, and how many judged results have no label
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
 * `judged` has each result once, as its newest report judges it. `nth` counts results without a label, so that results
 * with one are drawn with those behind them.
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
