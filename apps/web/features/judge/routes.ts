import { id, searchOf, text } from '../../address';
import { screen } from '../../screen';
import { providersQuery } from '../providers/api';
import { model, reportSearch } from './address';
import { calibrationQuery, judgementsQuery, judgeSettingQuery, namedRunsQuery, reportQuery, reportsQuery } from './api';

/** Judge reports: all of them, or those on a run. */
const judgeSearch = searchOf({ eval: id, after: text(500) });
/** A new report: on a run, or on its wins over another. */
const newReportSearch = searchOf({ eval: id, against: id });
/** What to label: results of a run, or all that the judge has judged. */
const labelsSearch = searchOf({ eval: id, judge: model });
/** Whose calibration: that of a judge's current version, or of a report's judge. */
const calibrationSearch = searchOf({ judge: model, report: id });

export const judgeRoutes = [
  screen('/judge', () => import('./screens/judge-screen'), 'JudgeScreen', {
    search: judgeSearch,
    loads: ({ search: { eval: run, after } }) => [
      reportsQuery({ run, cursor: after }),
      namedRunsQuery,
      ...(run === undefined ? [judgeSettingQuery] : []),
    ],
    showsErrors: true,
  }),
  screen('/judge/new', () => import('./screens/judge-new/judge-new-screen'), 'JudgeNewScreen', {
    search: newReportSearch,
    loads: () => [judgeSettingQuery, providersQuery],
  }),
  screen('/judge/reports/$reportId', () => import('./screens/judge-report/report-screen'), 'ReportScreen', {
    search: reportSearch,
    loads: ({ params: { reportId }, search }) => [reportQuery(reportId), judgementsQuery(reportId, search)],
    missing: { what: 'report', list: '/judge', all: 'All reports' },
  }),
  // Its results are drawn when it is opened: to draw them changes what is drawn later.
  screen('/judge/labels', () => import('./screens/judge-labels/labels-screen'), 'LabelsScreen', {
    search: labelsSearch,
    loads: () => [judgeSettingQuery],
  }),
  screen('/judge/calibration', () => import('./screens/calibration-screen'), 'CalibrationScreen', {
    search: calibrationSearch,
    loads: ({ search: { judge, report } }) => [
      judgeSettingQuery,
      ...((judge ?? report) ? [calibrationQuery({ judge, report })] : []),
    ],
    showsErrors: true,
  }),
] as const;
