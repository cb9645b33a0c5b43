import { queryOptions } from '@tanstack/react-query';
import type { Page } from '#lib/contracts/page';
import type { Provider } from '#lib/contracts/provider';
import { client } from './client';
import { keys } from './keys';

/** The providers of the team, with their models; the first 200. */
export const providersQuery = queryOptions({
  queryKey: keys.providers,
  queryFn: ({ signal }) => client.call<Page<Provider>>('GET', '/api/providers?limit=200', undefined, { signal }),
});

/** One provider, by its key. */
export const providerQuery = (key: string) =>
  queryOptions({
    queryKey: [...keys.providers, key],
    queryFn: ({ signal }) =>
      client.call<Provider>('GET', `/api/providers/${encodeURIComponent(key)}`, undefined, { signal }),
  });
