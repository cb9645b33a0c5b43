import { childScreen, screen } from '../../screen';
import { resultsSearch } from './address';

const results = screen('/runs/$runId/results', () => import('./screens/results/results-screen'), 'ResultsScreen', {
  search: resultsSearch,
});
const result = childScreen(results, '/$resultId', () => import('./screens/result/result-screen'), 'ResultScreen');

export const resultsRoutes = [results.addChildren([result])] as const;
