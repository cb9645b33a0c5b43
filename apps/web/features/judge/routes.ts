import { screen } from '../../screen';
import { judgeSearch, judgeNewSearch, reportSearch, labelsSearch, calibrationSearch } from './address';

export const judgeRoutes = [
  screen('/judge', () => import('./screens/judge-screen'), 'JudgeScreen', { search: judgeSearch }),
  screen('/judge/new', () => import('./screens/judge-new/judge-new-screen'), 'JudgeNewScreen', {
    search: judgeNewSearch,
  }),
  screen('/judge/reports/$reportId', () => import('./screens/judge-report/report-screen'), 'ReportScreen', {
    search: reportSearch,
  }),
  screen('/judge/labels', () => import('./screens/judge-labels/labels-screen'), 'LabelsScreen', {
    search: labelsSearch,
  }),
  screen('/judge/calibration', () => import('./screens/calibration-screen'), 'CalibrationScreen', {
    search: calibrationSearch,
  }),
] as const;
