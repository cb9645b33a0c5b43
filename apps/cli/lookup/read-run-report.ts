import type { ApiClient } from '#lib/client/api-client';
import type { JudgeReport } from '#lib/judge/contract';
import type { Ranking } from '#lib/contracts/ranking';
import type { Result } from '#lib/contracts/result';
import type { Run } from '#lib/contracts/run';
import type { Disagreement } from '../reports/judge.js';
import { REPORTS_ROUTE } from './find-report.js';
import { readDisagreements } from './read-disagreements.js';

/** As many as a report shows. */
const MAX_FAILURES = 20;
const MAX_REPORTS = 20;
const MAX_JUDGES = 5;

/** The contents of a readable report on a run. */
export interface RunReport {
  run: Run;
  ranking: Ranking;
  /** The first scored results that did not pass, by error type. */
  failures: Result[];
  /** The newest report of each judge on the run, and of each comparison with it. */
  judges: { report: JudgeReport; disagreements: Disagreement[] }[];
}

/** The number of scored results of a run that did not pass. */
export const countFailures = ({ counts }: Pick<Run, 'counts'>): number =>
  counts.settled - counts.errored - counts.passed;

export async function readRunReport(client: ApiClient, run: Run): Promise<RunReport> {
  const path = `/api/tool-eval/history/${run.id}`;
  const failed = new URLSearchParams({ passed: 'false', outcome: 'scored', order: 'failures', lean: 'true' });
  const [ranking, failures, reports] = await Promise.all([
    client.call<Ranking>('GET', `${path}/ranking`),
    countFailures(run) > 0 ? client.page<Result>(`${path}/results?${failed}`, MAX_FAILURES) : { items: [] },
    client.page<JudgeReport>(`${REPORTS_ROUTE}?${new URLSearchParams({ eval_id: run.id })}`, MAX_REPORTS),
  ]);
  const judges = await Promise.all(
    newestOfEach(run, reports.items).map(async (report) => ({
      report,
      disagreements: await readDisagreements(client, report),
    })),
  );
  return { run, ranking, failures: failures.items, judges };
}

/**
 * The newest report of each judge that has judged anything. Reports that use the run as their baseline are about
 * another run.
 */
function newestOfEach({ id }: Run, reports: readonly JudgeReport[]): JudgeReport[] {
  const found = new Map<string, JudgeReport>();
  for (const report of reports) {
    const key = `${report.judge} ${report.baseline_eval_id}`;
    if (report.eval_id === id && report.judged > 0 && report.finished_at !== null && !found.has(key))
      found.set(key, report);
  }
  return [...found.values()].slice(0, MAX_JUDGES);
}
