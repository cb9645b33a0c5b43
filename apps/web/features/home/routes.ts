import { screen } from '../../screen';
import { homeQuery, monthByModelQuery } from './api';

export const homeRoutes = [
  screen('/', () => import('./screens/home-screen'), 'HomeScreen', {
    loads: () => [homeQuery, monthByModelQuery],
    showsErrors: true,
  }),
  screen('/$', () => import('./screens/not-found-screen'), 'NotFoundScreen'),
] as const;
