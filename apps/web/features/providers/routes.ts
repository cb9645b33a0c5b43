import { screen } from '../../screen';
import { pricesQuery, providerQuery, providersQuery, templatesQuery } from './api';

export const providersRoutes = [
  screen('/operate/providers', () => import('./screens/providers-screen'), 'ProvidersScreen', {
    loads: () => [providersQuery],
    showsErrors: true,
  }),
  screen('/operate/providers/new', () => import('./screens/new-provider-screen'), 'NewProviderScreen', {
    loads: () => [templatesQuery, pricesQuery],
    showsErrors: true,
  }),
  screen('/operate/providers/$providerKey', () => import('./screens/provider-screen'), 'ProviderScreen', {
    loads: ({ params: { providerKey } }) => [providerQuery(providerKey), pricesQuery],
    missing: { what: 'provider', list: '/operate/providers', all: 'All providers' },
  }),
] as const;
