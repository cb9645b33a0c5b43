import type { SettledItem } from '#lib/contracts/summary';
import type { Pool } from './pool.js';

type Row = Omit<SettledItem, 'metrics'> & { sample: number; metrics: string | null };

/** What summaries need of a target's results, by case and sample, a page at a time: memory stays flat at a million rows. */
export async function* resultsOfTarget(pool: Pool, runId: string, ordinal: number, pageSize = 5000): AsyncGenerator<SettledItem[]> {
  let after: [number, number] = [-1, -1];
  for (;;) {
    const { rows } = await pool.query<Row>({
      name: 'results_of_target',
      text: `SELECT case_position, sample, category, outcome, passed, tool_score, param_score, overall, error_type, error_kind,
          format_compliance, abstention, latency_ms, prompt_tokens, completion_tokens, cost_usd, metrics
        FROM result WHERE run_id = $1 AND target = $2 AND (case_position, sample) > ($3, $4)
        ORDER BY case_position, sample LIMIT $5`,
      values: [runId, ordinal, ...after, pageSize],
    });
    if (rows.length) yield rows.map((row) => ({ ...row, metrics: scoresIn(row.metrics) }));
    if (rows.length < pageSize) return;
    const last = rows.at(-1)!;
    after = [last.case_position, last.sample];
  }
}

const scoresIn = (metrics: string | null): SettledItem['metrics'] =>
  metrics === null ? undefined : Object.fromEntries(Object.entries(JSON.parse(metrics) as Record<string, { score: number | null }>).map(([id, { score }]) => [id, score]));
