import { screen } from '../../screen';
import { experimentsSearch, baselineSearch, experimentSearch } from './address';

export const experimentsRoutes = [
  screen('/experiments', () => import('./screens/experiments-screen'), 'ExperimentsScreen', {
    search: experimentsSearch,
  }),
  screen('/experiments/new', () => import('./screens/new-experiment-screen'), 'NewExperimentScreen', {
    search: baselineSearch,
  }),
  screen('/experiments/$experimentId', () => import('./screens/experiment/experiment-screen'), 'ExperimentScreen', {
    search: experimentSearch,
  }),
] as const;
