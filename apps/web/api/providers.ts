import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type { Page } from '#lib/contracts/page';
import type { Provider, ProviderTest as ProviderTestSchema } from '#lib/contracts/provider';
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

export type ProviderTest = z.infer<typeof ProviderTestSchema>;

/** Makes one small request to the first model of a provider. */
export const testProvider = (key: string, options: { idempotencyKey: string }): Promise<ProviderTest> =>
  client.call('POST', `/api/providers/${encodeURIComponent(key)}/test`, undefined, options);
