import { queryOptions } from '@tanstack/react-query';
import type { JudgeEstimate } from '#lib/contracts/judge-estimate';
import type { Calibration, Judgement, JudgeReport, JudgeSetting, JudgeSubmitted } from '#lib/judge/contract';
import type { Label, LabelInput, LabelQueue } from '#lib/contracts/label';
import type { Page } from '#lib/contracts/page';
import { newIdempotencyKey, type Sent } from '../../api/action';
import { client, estimateQuery, pathWith, read, readQuery } from '../../api/client';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';
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

export interface QueueFilter {
  run: string | undefined;
  judge: string | undefined;
  limit: number;
  /** A new number draws again among results without a label; a draw stays unchanged until the next. */
  draw: number;
}

export const labelQueueQuery = ({ run, judge, limit, draw }: QueueFilter) => {
  const path = pathWith('/api/judge/label-queue', { limit, eval_id: run, judge });
  return queryOptions({
    queryKey: [...keys.queues, path, draw],
    queryFn: read<LabelQueue>(path),
    staleTime: Infinity,
    gcTime: 0,
  });
};

/** A result of a run. */
export interface LabelledResult {
  runId: string;
  resultId: string;
}

const runPath = (runId: string): string => `/api/tool-eval/history/${encodeURIComponent(runId)}`;
const labelPath = ({ runId, resultId }: LabelledResult): string =>
  `${runPath(runId)}/results/${encodeURIComponent(resultId)}/label`;

/** People's labels of a result: the first 200. */
export const labelsOfResultQuery = ({ runId, resultId }: LabelledResult) =>
  readQuery<Page<Label>>(keys.labels(runId), pathWith(`${runPath(runId)}/labels`, { result_id: resultId, limit: 200 }));

export const putLabel = ({ label, note, ...result }: LabelledResult & LabelInput, options: Sent): Promise<Label> =>
  client.call('PUT', labelPath(result), { label, note }, options);

export const deleteLabel = (result: LabelledResult, options: Sent): Promise<void> =>
  client.call('DELETE', labelPath(result), undefined, options);

/** Refreshes after a label was given or withdrawn: it counts for the judges of its result. The drawn queue stays. */
export async function refreshLabels(runId: string): Promise<void> {
  const { judge, queues } = keys;
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: keys.labels(runId) }),
    queryClient.invalidateQueries({ queryKey: judge, predicate: ({ queryKey }) => queryKey[1] !== queues[1] }),
  ]);
}
