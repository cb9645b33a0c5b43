import { JOB_TYPES } from '#lib/contracts/values/jobs';
import { keyOf, oneOf, searchOf, text } from '../../address';
import { screen } from '../../screen';
import { JOB_STATUS_LABELS, jobsQuery, runsOfJobsQuery } from './api';

const jobsSearch = searchOf({ status: keyOf(JOB_STATUS_LABELS), type: oneOf(JOB_TYPES), after: text(500) });

export const jobsRoutes = [
  screen('/jobs', () => import('./screens/jobs-screen'), 'JobsScreen', {
    search: jobsSearch,
    loads: ({ search }) => [jobsQuery(search), runsOfJobsQuery(search)],
    showsErrors: true,
  }),
] as const;
