import { id, oneOf, searchOf, text } from '../../address';
import { screen } from '../../screen';
import { resultQuery } from '../results/api';
import { runQuery } from '../runs/api';
import { suiteQuery } from '../suites/api';
import { providersQuery } from '../providers/api';
import { newestRunQuery } from '../runs/api';
import { caseQuery, caseVerdictsQuery, neighboursQuery } from './api';

/** Whether the case is shown as JSON instead of fields. */
const caseSearch = searchOf({ as: oneOf(['json']) });
/** A new case, which may begin as a copy of another one, or with what a model called in a result of a run. */
const newCaseSearch = searchOf({ as: oneOf(['json']), from: id, run: id, result: text(30) });

export const casesRoutes = [
  screen('/suites/$suiteId/cases/new', () => import('./screens/case-screen'), 'NewCaseScreen', {
    search: newCaseSearch,
    loads: ({ params: { suiteId }, search: { from, run, result } }) => [
      suiteQuery(suiteId),
      newestRunQuery(suiteId),
      providersQuery,
      ...(from === undefined ? [] : [caseQuery(suiteId, from)]),
      ...(run === undefined || result === undefined ? [] : [runQuery(run), resultQuery(run, result)]),
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
