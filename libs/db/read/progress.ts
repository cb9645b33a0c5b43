import type { RunTarget } from '#lib/contracts/run-target';
import type { Summary } from '#lib/contracts/summary';
import type { Pool } from '../connection/pool.js';
import { parseSummary } from './summaries.js';

/** The progress of a run: its targets with their counters, and the final summaries. */
export async function readProgress(
  pool: Pool,
  runId: string | null,
): Promise<{ targets: RunTarget[]; summaries: Summary[] }> {
  if (runId === null) return { targets: [], summaries: [] };
  const { rows } = await pool.query<Omit<RunTarget, 'recorded'> & { recorded: boolean; summary: string | null }>(
    `SELECT provider_key || '::' || model_id AS target, provider_key, model_id, n AS total, settled, errored,
      passed, recorded, summary FROM target WHERE run_id = $1 ORDER BY ordinal`,
    [runId],
  );
  return {
    targets: rows.map(({ summary: _summary, recorded, ...target }) => ({ ...target, ...(recorded && { recorded }) })),
    summaries: rows.flatMap(({ summary }) => (summary ? [parseSummary(summary)] : [])),
  };
}
