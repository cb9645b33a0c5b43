import type { SettledItem } from '#lib/contracts/summary';
import { longQuery, type Pool } from '../connection/pool.js';

type Row = Omit<SettledItem, 'metrics'> & { sample: number; metrics: string | null };

/**
 * Where results are read from: the verdicts of the run itself, or those of a rescore in their place, whose items
 * without a verdict are the errored ones.
 * @param rescoreId the parameter that holds the id of the rescore, such as `$5`
 */
export const resultTable = (rescoreId?: string): string =>
  !rescoreId
    ? 'result'
    : `(SELECT r.run_id, r.target, r.case_position, r.sample, r.generation, r.seq,
    CASE WHEN s.run_id IS NULL THEN 'errored' ELSE 'scored' END AS outcome, coalesce(s.passed, false) AS passed, s.tool_score, s.param_score, s.overall,
    coalesce(s.error_type, 'errored') AS error_type, s.format_compliance, r.abstention, r.category, coalesce(s.called, '[]') AS called, s.evidence, s.metrics,
    (SELECT scoring_version FROM rescore WHERE id = ${rescoreId}) AS scoring_version, r.latency_ms, r.prompt_tokens, r.completion_tokens, r.cost_usd, r.cached, r.attempts,
    CASE WHEN s.run_id IS NULL THEN r.error_kind END AS error_kind, CASE WHEN s.run_id IS NULL THEN r.error_message END AS error_message, r.tool_choice_used, r.settled_at
  FROM result r LEFT JOIN rescored s ON s.run_id = r.run_id AND s.rescore_id = ${rescoreId} AND s.target = r.target AND s.case_position = r.case_position AND s.sample = r.sample)`;

/**
 * What summaries need of a target's results, by case and sample, a page at a time: memory stays flat at a million
 * rows.
 */
export async function* resultsOfTarget(
  pool: Pool,
  runId: string,
  ordinal: number,
  { rescoreId, pageSize = 5000 }: { rescoreId?: string; pageSize?: number } = {},
): AsyncGenerator<SettledItem[]> {
  let after: [number, number] = [-1, -1];
  for (;;) {
    const { rows } = await longQuery<Row>(
      pool,
      `SELECT case_position, sample, category, outcome, passed, tool_score, param_score, overall, error_type,
        error_kind,
          format_compliance, abstention, latency_ms, prompt_tokens, completion_tokens, cost_usd, cached,
            tool_choice_used, metrics
        FROM ${resultTable(rescoreId && '$6')} r WHERE run_id = $1 AND target = $2
          AND (case_position, sample) > ($3, $4)
        ORDER BY case_position, sample LIMIT $5`,
      [runId, ordinal, ...after, pageSize, ...(rescoreId ? [rescoreId] : [])],
      rescoreId ? 'rescored_of_target' : 'results_of_target',
    );
    if (rows.length) yield rows.map((row) => ({ ...row, metrics: scoresIn(row.metrics) }));
    if (rows.length < pageSize) return;
    const last = rows.at(-1)!;
    after = [last.case_position, last.sample];
  }
}

const scoresIn = (metrics: string | null): SettledItem['metrics'] =>
  metrics === null
    ? undefined
    : Object.fromEntries(
        Object.entries(JSON.parse(metrics) as Record<string, { score: number | null }>).map(([id, { score }]) => [
          id,
          score,
        ]),
      );
