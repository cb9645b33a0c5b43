import type { JudgeEstimate } from '#lib/contracts/judge-estimate';
import type { Calibration, Judgement, JudgeReport, JudgeSetting, JudgeSubmitted } from '#lib/judge/contract';
import type { Label } from '#lib/contracts/label';
import type { Page } from '#lib/contracts/page';
import { newIdempotencyKey, type Sent } from '../../api/action';
import { client, estimateQuery, pathWith, readQuery } from '../../api/client';
import { keys } from '../../api/keys';
import { runsQuery } from '../runs/api';
import { judgementsFilter, type ReportSearch } from './address';

const REPORTS = '/api/judge/reports';
const SETTING = '/api/settings/judge';
const PAGE = 50;
/** A judgement is a paragraph. */
const JUDGEMENTS_PAGE = 15;
const verdictsOf = (id: string): string => `${REPORTS}/${id}/verdicts`;

export interface ReportFilter {
  /** The judged run, or the one that is compared with another. */
  run?: string;
  cursor?: string;
  limit?: number;
}

export const reportsQuery = ({ run, cursor, limit = PAGE }: ReportFilter) =>
  readQuery<Page<JudgeReport>>(keys.reportLists, pathWith(REPORTS, { limit, eval_id: run, cursor }));

/** The newest reports on a run. */
export const newestReportsQuery = (run: string) => reportsQuery({ run, limit: 5 });

/** Runs that reports are shown by the name of; older ones are shown by the end of their id. */
export const namedRunsQuery = runsQuery({ limit: 200 });

export const reportQuery = (id: string) => readQuery<JudgeReport>(keys.report(id), `${REPORTS}/${id}`);

export const judgementsQuery = (id: string, search: ReportSearch) =>
  readQuery<Page<Judgement>>(
    keys.report(id),
    pathWith(verdictsOf(id), { ...judgementsFilter(search), limit: JUDGEMENTS_PAGE }),
  );

/** The judgements of one result in a report. */
export const judgementsOfResultQuery = (id: string, resultId: string) =>
  readQuery<Page<Judgement>>(keys.report(id), pathWith(verdictsOf(id), { result_id: resultId }));

export const reportEstimateQuery = (body: string | undefined) =>
  estimateQuery<JudgeEstimate>(keys.judge, '/api/judge/estimate', body);

export const submitReport = (body: string, options: Sent): Promise<JudgeSubmitted> =>
  client.call('POST', '/api/judge', body, options);

export const rerunReport = (id: string, options: Sent): Promise<JudgeSubmitted> =>
  client.call('POST', `${REPORTS}/${id}/rerun`, {}, options);

export const deleteReport = (id: string): Promise<void> =>
  client.call('DELETE', `${REPORTS}/${id}`, undefined, { idempotencyKey: newIdempotencyKey() });

export const judgeSettingQuery = readQuery<JudgeSetting>(keys.judgeSetting, SETTING);

export const setJudge = (body: string, options: Sent): Promise<JudgeSetting> =>
  client.call('PUT', SETTING, body, options);

/** Whose calibration: that of a judge, of a report's judge, or of the default judge. */
export interface CalibrationFilter {
  judge?: string;
  report?: string;
}

export const calibrationQuery = ({ judge, report }: CalibrationFilter) =>
  readQuery<Calibration>(
    keys.calibrations,
    pathWith('/api/judge/calibration', report ? { report_id: report } : { judge }),
  );

/** A result of a run. */
export interface LabelledResult {
  runId: string;
  resultId: string;
}

export const runPath = (runId: string): string => `/api/tool-eval/history/${encodeURIComponent(runId)}`;

/** People's labels of a result: the first 200. */
export const labelsOfResultQuery = ({ runId, resultId }: LabelledResult) =>
  readQuery<Page<Label>>(keys.labels(runId), pathWith(`${runPath(runId)}/labels`, { result_id: resultId, limit: 200 }));
