import { screen } from '../../screen';
import { jobsUnderWayQuery } from '../jobs/api';
import { lanesQuery, systemQuery } from '../operate/api';
import { finishedRunsQuery, latestRunsQuery } from './api';

export const homeRoutes = [
  screen('/', () => import('./screens/home-screen'), 'HomeScreen', {
    loads: () => [latestRunsQuery, finishedRunsQuery, jobsUnderWayQuery, lanesQuery, systemQuery],
    showsErrors: true,
  }),
  screen('/$', () => import('./screens/not-found-screen'), 'NotFoundScreen'),
] as const;
