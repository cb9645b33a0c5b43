import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';
import type { Me } from '../../api/session';
import { screen } from '../../screen';
import { homeQuery, monthByModelQuery } from './api';

export const homeRoutes = [
  screen('/', () => import('./screens/home-screen'), 'HomeScreen', {
    // A token that is limited to suites may read none of it.
    loads: () => (queryClient.getQueryData<Me>(keys.me)?.token?.suite_ids ? [] : [homeQuery, monthByModelQuery]),
    showsErrors: true,
  }),
  screen('/$', () => import('./screens/not-found-screen'), 'NotFoundScreen'),
] as const;
