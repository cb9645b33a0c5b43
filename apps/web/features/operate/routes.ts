import { screen } from '../../screen';
import { spendingQuery } from '../settings/api';
import { spendingSearch } from './address';
import { lanesQuery, spendingReportQuery, systemQuery } from './api';

export const operateRoutes = [
  screen('/operate/lanes', () => import('./screens/lanes-screen'), 'LanesScreen', {
    loads: () => [lanesQuery, systemQuery],
    showsErrors: true,
  }),
  screen('/operate/spending', () => import('./screens/spending-screen'), 'SpendingScreen', {
    search: spendingSearch,
    loads: ({ search }) => [spendingQuery, spendingReportQuery(search)],
    showsErrors: true,
  }),
] as const;
