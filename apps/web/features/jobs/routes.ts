import { JOB_TYPES } from '#lib/contracts/values/jobs';
import { oneOf, searchOf, text } from '../../address';
import { screen } from '../../screen';
import { jobsQuery, STATUS_FILTERS } from './api';

const jobsSearch = searchOf({ status: oneOf(STATUS_FILTERS), type: oneOf(JOB_TYPES), after: text(500) });

export const jobsRoutes = [
  screen('/jobs', () => import('./screens/jobs-screen'), 'JobsScreen', {
    search: jobsSearch,
    loads: ({ search }) => [jobsQuery(search)],
    showsErrors: true,
  }),
] as const;
