import { screen } from '../../screen';
import { spendingSearch } from './address';

export const operateRoutes = [
  screen('/operate/lanes', () => import('./screens/lanes-screen'), 'LanesScreen'),
  screen('/operate/spending', () => import('./screens/spending-screen'), 'SpendingScreen', { search: spendingSearch }),
] as const;
