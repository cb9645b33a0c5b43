import { screen } from '../../screen';
import { compareSearch } from './address';

export const compareRoutes = [
  screen('/compare', () => import('./screens/compare-screen'), 'CompareScreen', { search: compareSearch }),
] as const;
