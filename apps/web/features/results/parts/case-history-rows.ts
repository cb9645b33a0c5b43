import type { CaseResult } from '#lib/contracts/case-result';

export type HistoryRun = CaseResult['run'];
export type HistoryResult = CaseResult['result'];

/** Results of the case for one model, by run id. */
export interface HistoryRow {
  model: string;
  byRun: Map<string, CaseResult[]>;
}

/** Results of a case as a table: runs as columns, newest first; models as rows, most recently used first. */
export function historyRows(results: readonly CaseResult[]): { runs: HistoryRun[]; rows: HistoryRow[] } {
  const runs = new Map(results.map(({ run }) => [run.id, run]));
  const rows = Map.groupBy(results, ({ result }) => result.target);
  return {
    runs: [...runs.values()],
    rows: [...rows].map(([model, ofModel]) => ({ model, byRun: Map.groupBy(ofModel, ({ run }) => run.id) })),
  };
}

/** The sample to open: the first that did not pass, or the first. */
export const shownOf = (samples: readonly HistoryResult[]): HistoryResult =>
  samples.find(({ outcome, passed }) => outcome === 'scored' && !passed) ??
  samples.find(({ outcome }) => outcome === 'errored') ??
  samples[0]!;
