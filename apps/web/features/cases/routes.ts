import { id, oneOf, searchOf } from '../../address';
import { screen } from '../../screen';
import { suiteQuery } from '../suites/api';
import { providersQuery } from '../providers/api';
import { newestRunQuery } from '../runs/api';
import { caseQuery, caseVerdictsQuery, neighboursQuery } from './api';

/** Whether the case is shown as JSON instead of fields. */
const caseSearch = searchOf({ as: oneOf(['json']) });
/** A new case, which may begin as a copy of another one. */
const newCaseSearch = searchOf({ as: oneOf(['json']), from: id });

export const casesRoutes = [
  screen('/suites/$suiteId/cases/new', () => import('./screens/case-screen'), 'NewCaseScreen', {
    search: newCaseSearch,
    loads: ({ params: { suiteId }, search: { from } }) => [
      suiteQuery(suiteId),
      newestRunQuery(suiteId),
      providersQuery,
      ...(from === undefined ? [] : [caseQuery(suiteId, from)]),
    ],
    missing: { what: 'suite', list: '/suites', all: 'All suites' },
  }),
  screen('/suites/$suiteId/cases/$caseId', () => import('./screens/case-screen'), 'CaseScreen', {
    search: caseSearch,
    loads: ({ params: { suiteId, caseId } }) => [
      caseQuery(suiteId, caseId),
      suiteQuery(suiteId),
      neighboursQuery(suiteId, caseId),
      newestRunQuery(suiteId),
      providersQuery,
      caseVerdictsQuery(suiteId, caseId),
    ],
    missing: { what: 'case', list: '/suites/$suiteId', all: 'To the suite' },
  }),
] as const;
