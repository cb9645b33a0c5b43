import type { CaseResult } from '#lib/contracts/case-result';

export type HistoryRun = CaseResult['run'];
export type HistoryResult = CaseResult['result'];

/** Results of the case for one model, by run id. */
export interface HistoryRow {
  model: string;
  byRun: Map<string, HistoryResult[]>;
}

/** Results of a case as a table: runs as columns, newest first; models as rows, most recently used first. */
export function historyRows(results: readonly CaseResult[]): { runs: HistoryRun[]; rows: HistoryRow[] } {
  const runs = new Map<string, HistoryRun>();
  const rows = new Map<string, HistoryRow>();
  for (const { run, result } of results) {
    runs.set(run.id, run);
    const row = rows.get(result.target) ?? { model: result.target, byRun: new Map<string, HistoryResult[]>() };
    rows.set(result.target, row);
    const ofRun = row.byRun.get(run.id);
    if (ofRun) ofRun.push(result);
    else row.byRun.set(run.id, [result]);
  }
  return { runs: [...runs.values()], rows: [...rows.values()] };
}

/** The sample to open: the first that did not pass, or the first. */
export const shownOf = (samples: readonly HistoryResult[]): HistoryResult =>
  samples.find(({ outcome, passed }) => outcome === 'scored' && !passed) ??
  samples.find(({ outcome }) => outcome === 'errored') ??
  samples[0]!;
