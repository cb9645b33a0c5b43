import { screen } from '../../screen';
import { suiteHeadsQuery } from '../suites/api';
import { baselineSearch, experimentSearch, experimentsSearch } from './address';
import { experimentQuery, experimentsQuery, modelTrendsQuery, timelineQuery } from './api';

export const experimentsRoutes = [
  screen('/experiments', () => import('./screens/experiments-screen'), 'ExperimentsScreen', {
    search: experimentsSearch,
    loads: ({ search }) => [experimentsQuery(search), suiteHeadsQuery],
    showsErrors: true,
  }),
  screen('/experiments/new', () => import('./screens/new-experiment-screen'), 'NewExperimentScreen', {
    search: baselineSearch,
    loads: () => [suiteHeadsQuery],
  }),
  screen('/experiments/$experimentId', () => import('./screens/experiment/experiment-screen'), 'ExperimentScreen', {
    search: experimentSearch,
    loads: ({ params: { experimentId }, search: { after } }) => [
      experimentQuery(experimentId),
      timelineQuery(experimentId, after),
      modelTrendsQuery(experimentId),
    ],
    missing: { what: 'experiment', list: '/experiments', all: 'All experiments' },
  }),
] as const;
