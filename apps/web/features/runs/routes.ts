import { screen } from '../../screen';
import { runsSearch, runNewSearch } from './address';
import { runSearch, matrixSearch, failuresSearch } from './run-views';

export const runsRoutes = [
  screen('/runs', () => import('./screens/runs-screen'), 'RunsScreen', { search: runsSearch }),
  screen('/runs/new', () => import('./screens/run-new/run-new-screen'), 'RunNewScreen', { search: runNewSearch }),
  screen('/runs/$runId', () => import('./screens/run/run-screen'), 'RunScreen', { search: runSearch }),
  screen('/runs/$runId/matrix', () => import('./screens/matrix-screen'), 'MatrixScreen', { search: matrixSearch }),
  screen('/runs/$runId/failures', () => import('./screens/failures-screen'), 'FailuresScreen', {
    search: failuresSearch,
  }),
] as const;
