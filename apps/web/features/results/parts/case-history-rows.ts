import type { CaseResult } from '#lib/contracts/case-result';

type HistoryRun = CaseResult['run'];
export type HistoryResult = CaseResult['result'];

/** The results of a case in one run, by model. */
export interface HistoryRow {
  run: HistoryRun;
  byModel: Map<string, HistoryResult[]>;
}

/** Results of a case by run, newest first. Each run has the models that it asked. */
export const historyRows = (results: readonly CaseResult[]): HistoryRow[] =>
  [...Map.groupBy(results, ({ run }) => run.id).values()].map((ofRun) => ({
    run: ofRun[0]!.run,
    byModel: Map.groupBy(
      ofRun.map(({ result }) => result),
      ({ target }) => target,
    ),
  }));

/** The sample to open: the first that did not pass, or the first. */
export const shownOf = (samples: readonly HistoryResult[]): HistoryResult =>
  samples.find(({ outcome, passed }) => outcome === 'scored' && !passed) ??
  samples.find(({ outcome }) => outcome === 'errored') ??
  samples[0]!;
