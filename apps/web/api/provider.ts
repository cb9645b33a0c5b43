import { queryOptions } from '@tanstack/react-query';
import type { Provider } from '#lib/contracts/provider';
import { client } from './client';
import { keys } from './keys';

/** One provider, by its key. */
export const providerQuery = (key: string) =>
  queryOptions({
    queryKey: [...keys.providers, key],
    queryFn: ({ signal }) =>
      client.call<Provider>('GET', `/api/providers/${encodeURIComponent(key)}`, undefined, { signal }),
  });
