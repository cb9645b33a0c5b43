import { screen } from '../../screen';

export const providersRoutes = [
  screen('/operate/providers', () => import('./screens/providers-screen'), 'ProvidersScreen'),
  screen('/operate/providers/new', () => import('./screens/new-provider-screen'), 'NewProviderScreen'),
  screen('/operate/providers/$providerKey', () => import('./screens/provider-screen'), 'ProviderScreen'),
] as const;
