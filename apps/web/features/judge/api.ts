import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Calibration, Judgement, JudgeReport, JudgeSetting, JudgeSubmitted } from '#lib/judge/contract';
import type { Page } from '#lib/contracts/page';
import { judgementsQueryOf, type ReportSearch } from '../address';
import { client, readQuery, read } from '../../../api/client';
import { keys } from '../../../api/keys';

const REPORTS = '/api/judge/reports';
const SETTING = '/api/settings/judge';
const LIST_PAGE = 50;
const JUDGEMENTS_PAGE = 50;
type Sent = { idempotencyKey: string };

export interface ReportFilter {
  /** The judged run, or the one that is compared with another. */
  run?: string;
  cursor?: string;
  limit?: number;
}

export const reportsQuery = ({ run, cursor, limit = LIST_PAGE }: ReportFilter) => {
  const query = new URLSearchParams({ limit: String(limit), ...(run && { eval_id: run }), ...(cursor && { cursor }) });
  return queryOptions({
    queryKey: [...keys.reportLists, String(query)],
    queryFn: read<Page<JudgeReport>>(`${REPORTS}?${query}`),
    placeholderData: keepPreviousData,
  });
};

export const reportQuery = (id: string) => readQuery<JudgeReport>(keys.report(id), `${REPORTS}/${id}`);

export const judgementsQuery = (id: string, search: ReportSearch) => {
  const query = judgementsQueryOf(search);
  query.set('limit', String(JUDGEMENTS_PAGE));
  return queryOptions({
    queryKey: [...keys.report(id), 'judgements', String(query)],
    queryFn: read<Page<Judgement>>(`${REPORTS}/${id}/verdicts?${query}`),
    placeholderData: keepPreviousData,
  });
};

/** The judgements of one result in a report. */
export const judgementsOfResultQuery = (id: string, resultId: string) =>
  queryOptions({
    queryKey: [...keys.report(id), 'result', resultId],
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ result_id: resultId });
      return client.call<Page<Judgement>>('GET', `${REPORTS}/${id}/verdicts?${query}`, undefined, { signal });
    },
  });

export const submitReport = (body: string, options: Sent) =>
  client.call<JudgeSubmitted>('POST', '/api/judge', body, options);
export const rerunReport = (id: string, options: Sent) =>
  client.call<JudgeSubmitted>('POST', `${REPORTS}/${id}/rerun`, {}, options);
export const deleteReport = (id: string, options: Sent) =>
  client.call<void>('DELETE', `${REPORTS}/${id}`, undefined, options);

export const judgeSettingQuery = queryOptions({
  queryKey: keys.judgeSetting,
  queryFn: read<JudgeSetting>(SETTING),
});
export const setJudge = (body: string, options: Sent) => client.call<JudgeSetting>('PUT', SETTING, body, options);

/** Whose calibration: that of a judge, of a report's judge, or of the default judge. */
export interface CalibrationFilter {
  judge?: string;
  report?: string;
}
export const calibrationQuery = ({ judge, report }: CalibrationFilter) => {
  const query = new URLSearchParams(report ? { report_id: report } : judge ? { judge } : {});
  return readQuery<Calibration>([...keys.calibrations, String(query)], `/api/judge/calibration?${query}`);
};
