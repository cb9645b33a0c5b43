import type { Run } from '#lib/contracts/run';
import { queryClient } from '../../api/query-client';
import { screen, type ScreenQuery } from '../../screen';
import { isUnderWay } from '../../ui/status';
import { newestReportsQuery } from '../judge/api';
import { promptChoicesQuery } from '../prompts/api';
import { providersQuery } from '../providers/api';
import { suiteQuery } from '../suites/api';
import { failuresSearch, matrixSearch, runNewSearch, runSearch, runsSearch } from './address';
import {
  confusionQuery,
  facetsQuery,
  failedCasesQuery,
  failureGroupsQuery,
  listedRunsQuery,
  metricsQuery,
  newestRunQuery,
  rankingQuery,
  rescoresQuery,
  runCasesQuery,
  runQuery,
  runsQuery,
  viewQuery,
} from './api';

const RUN = { what: 'run', list: '/runs', all: 'All runs' };

/** Figures of a run that is known to have ended: before that it has none. */
function ofEnded(runId: string, figures: (run: Run) => ScreenQuery[]): ScreenQuery[] {
  const run = queryClient.getQueryData(runQuery(runId).queryKey);
  return run && !isUnderWay(run.status) ? figures(run) : [];
}

/** Figures of a run that may have ended. */
function unlessUnderWay(runId: string, figures: ScreenQuery[]): ScreenQuery[] {
  const run = queryClient.getQueryData(runQuery(runId).queryKey);
  return run && isUnderWay(run.status) ? [] : figures;
}

export const runsRoutes = [
  screen('/runs', () => import('./screens/runs-screen'), 'RunsScreen', {
    search: runsSearch,
    loads: ({ search }) => [listedRunsQuery(search), viewQuery('runs'), providersQuery],
    showsErrors: true,
  }),
  screen('/runs/new', () => import('./screens/run-new/run-new-screen'), 'RunNewScreen', {
    search: runNewSearch,
    loads: ({ search: { suite, from } }) => [
      // The form appears without an earlier run of the suite, too.
      from === undefined ? undefined : runQuery(from),
      ...(from === undefined && suite !== undefined ? [newestRunQuery(suite)] : []),
      ...(from === undefined && suite === undefined ? [runsQuery({ limit: 1 })] : []),
      providersQuery,
      metricsQuery,
      ...(suite === undefined ? [] : [suiteQuery(suite), promptChoicesQuery(suite)]),
    ],
    missing: RUN,
  }),
  screen('/runs/$runId', () => import('./screens/run/run-screen'), 'RunScreen', {
    search: runSearch,
    loads: ({ params: { runId }, search }) => [
      runQuery(runId),
      newestReportsQuery(runId),
      rescoresQuery(runId),
      ...ofEnded(runId, ({ summaries }) => [
        ...(summaries.length > 1 ? [rankingQuery(runId)] : []),
        failureGroupsQuery(runId),
        failedCasesQuery(runId),
        confusionQuery(runId, search.confusion),
        facetsQuery(runId),
      ]),
    ],
    missing: RUN,
  }),
  screen('/runs/$runId/settings', () => import('./screens/run-settings-screen'), 'RunSettingsScreen', {
    loads: ({ params: { runId } }) => [runQuery(runId)],
    missing: RUN,
  }),
  screen('/runs/$runId/matrix', () => import('./screens/matrix/matrix-screen'), 'MatrixScreen', {
    search: matrixSearch,
    loads: ({ params: { runId }, search }) => [
      runQuery(runId),
      ...unlessUnderWay(runId, [runCasesQuery(runId, search), facetsQuery(runId, search.rescore)]),
    ],
    missing: RUN,
  }),
  screen('/runs/$runId/failures', () => import('./screens/failures-screen'), 'FailuresScreen', {
    search: failuresSearch,
    loads: ({ params: { runId }, search: { type, rescore } }) => [
      runQuery(runId),
      ...unlessUnderWay(
        runId,
        [...new Set([type, undefined])].map((one) => failureGroupsQuery(runId, one, rescore)),
      ),
    ],
    missing: RUN,
  }),
] as const;
