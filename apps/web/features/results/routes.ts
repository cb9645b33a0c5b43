import { childScreen, screen } from '../../screen';
import { labelsOfResultQuery } from '../judge/api';
import { runQuery } from '../runs/api';
import { resultsSearch } from './address';
import { neighboursQuery, resultPageQuery, resultQuery } from './api';

const results = screen('/runs/$runId/results', () => import('./screens/results-screen'), 'ResultsScreen', {
  search: resultsSearch,
  loads: ({ params: { runId }, search }) => [runQuery(runId), resultPageQuery(runId, search, null)],
  missing: { what: 'run', list: '/runs', all: 'All runs' },
});
const result = childScreen(results, '/$resultId', () => import('./screens/result-screen'), 'ResultScreen', {
  search: resultsSearch,
  loads: ({ params: { runId, resultId }, search }) => [
    // Its pane stays while it goes to another result, so it waits for nothing that is not there.
    undefined,
    resultQuery(runId, resultId, search.rescore),
    neighboursQuery(runId, resultId, search),
    labelsOfResultQuery({ runId, resultId }),
  ],
});

export const resultsRoutes = [results.addChildren([result])] as const;
