import { screen } from '../../screen';
import { caseSearch } from './screens/case/case-search';

export const casesRoutes = [
  screen('/suites/$suiteId/cases/new', () => import('./screens/case/case-screen'), 'NewCaseScreen', {
    search: caseSearch,
  }),
  screen('/suites/$suiteId/cases/$caseId', () => import('./screens/case/case-screen'), 'CaseScreen', {
    search: caseSearch,
  }),
] as const;
