import { screen } from '../../screen';
import { jobsSearch } from '../operate/address';

export const jobsRoutes = [
  screen('/jobs', () => import('./screens/jobs-screen'), 'JobsScreen', { search: jobsSearch }),
] as const;
