import { screen } from '../../screen';
import { experimentsOfSuiteQuery } from '../experiments/api';
import { promptChoicesQuery } from '../prompts/api';
import { providersQuery } from '../providers/api';
import { suiteHeadsQuery } from '../suites/api/suite-heads';
import { metricsQuery } from './api/metrics';
import { newestRunQuery, runQuery } from './api/runs';
import { runsSearch, runNewSearch } from './address';
import { runSearch, matrixSearch, failuresSearch } from './run-views';

export const runsRoutes = [
  screen('/runs', () => import('./screens/runs-screen'), 'RunsScreen', { search: runsSearch }),
  screen('/runs/new', () => import('./screens/run-new/run-new-screen'), 'RunNewScreen', {
    search: runNewSearch,
    loads: ({ search: { suite, from } }) => [
      ...(from !== undefined ? [runQuery(from)] : suite !== undefined ? [newestRunQuery(suite)] : []),
      suiteHeadsQuery,
      providersQuery,
      metricsQuery,
      ...(suite === undefined ? [] : [promptChoicesQuery(suite), experimentsOfSuiteQuery(suite)]),
    ],
    missing: { what: 'run', list: '/runs', all: 'All runs' },
  }),
  screen('/runs/$runId', () => import('./screens/run/run-screen'), 'RunScreen', { search: runSearch }),
  screen('/runs/$runId/matrix', () => import('./screens/matrix-screen'), 'MatrixScreen', { search: matrixSearch }),
  screen('/runs/$runId/failures', () => import('./screens/failures-screen'), 'FailuresScreen', {
    search: failuresSearch,
  }),
] as const;
