import { screen } from '../../screen';
import { jobsSearch } from './address';
import { jobsQuery, runsOfJobsQuery } from './api';

export const jobsRoutes = [
  screen('/jobs', () => import('./screens/jobs-screen'), 'JobsScreen', {
    search: jobsSearch,
    loads: ({ search }) => [jobsQuery(search), runsOfJobsQuery(search)],
  }),
] as const;
