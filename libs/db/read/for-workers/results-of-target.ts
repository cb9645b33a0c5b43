import type { SettledItem } from '#lib/contracts/summary';
import { longQuery, type Pool } from '../../connection/pool.js';
import { resultTable, USAGE_COLUMNS } from './result-table.js';

/** A settled item, and whether a rescore leaves it out. */
type TargetResult = SettledItem & { unmatched: boolean };
type Row = Omit<TargetResult, 'metrics'> & { sample: number; metrics: string | null };

/**
 * The fields of a target's results that a summary needs, by case and sample. It reads a page at a time, so that memory
 * stays flat at a million rows.
 */
export async function* resultsOfTarget(
  pool: Pool,
  runId: string,
  ordinal: number,
  { rescoreId, pageSize = 5000 }: { rescoreId?: string; pageSize?: number } = {},
): AsyncGenerator<TargetResult[]> {
  let after: [number, number] = [-1, -1];
  for (;;) {
    const { rows } = await longQuery<Row>(
      pool,
      `SELECT case_position, sample, category, outcome, outcome = 'unmatched' AS unmatched, passed, tool_score,
         param_score, overall, error_type, error_kind, format_compliance, syntax, abstention, latency_ms,
         ${USAGE_COLUMNS}, cost_usd, cached, tool_choice_used, metrics
       FROM ${resultTable(rescoreId && '$6')} r
       WHERE run_id = $1 AND target = $2 AND (case_position, sample) > ($3, $4)
       ORDER BY case_position, sample LIMIT $5`,
      [runId, ordinal, ...after, pageSize, ...(rescoreId ? [rescoreId] : [])],
      rescoreId ? 'rescored_of_target' : 'results_of_target',
    );
    if (rows.length) yield rows.map((row) => ({ ...row, metrics: scoresOf(row.metrics) }));
    if (rows.length < pageSize) return;
    const last = rows.at(-1)!;
    after = [last.case_position, last.sample];
  }
}

function scoresOf(metrics: string | null): SettledItem['metrics'] {
  if (metrics === null) return undefined;
  const verdicts = JSON.parse(metrics) as Record<string, { score: number | null }>;
  return Object.fromEntries(Object.entries(verdicts).map(([id, { score }]) => [id, score]));
}
