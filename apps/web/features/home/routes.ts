import { screen } from '../../screen';

export const homeRoutes = [screen('/', () => import('./screens/home-screen'), 'HomeScreen')] as const;
