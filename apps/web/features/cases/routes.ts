import { oneOf, searchOf } from '../../address';
import { screen } from '../../screen';
import { suiteQuery } from '../suites/api';
import { caseQuery } from './api';

/** Whether the case is shown as JSON instead of fields. */
const caseSearch = searchOf({ as: oneOf(['json']) });

export const casesRoutes = [
  screen('/suites/$suiteId/cases/new', () => import('./screens/case-screen'), 'NewCaseScreen', {
    search: caseSearch,
    loads: ({ params: { suiteId } }) => [suiteQuery(suiteId)],
    missing: { what: 'suite', list: '/suites', all: 'All suites' },
  }),
  screen('/suites/$suiteId/cases/$caseId', () => import('./screens/case-screen'), 'CaseScreen', {
    search: caseSearch,
    loads: ({ params: { suiteId, caseId } }) => [caseQuery(suiteId, caseId), suiteQuery(suiteId)],
    missing: { what: 'case', list: '/suites/$suiteId', all: 'To the suite' },
  }),
] as const;
