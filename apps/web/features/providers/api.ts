import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type { KnownPrices } from '#lib/contracts/known-prices';
import type { Page } from '#lib/contracts/page';
import type {
  DiscoveredModels,
  Provider,
  ProviderTemplates,
  ProviderTest as ProviderTestSchema,
} from '#lib/contracts/provider';
import { client, readQuery, read } from '../../api/client';
import { keys } from '../../api/keys';

type Sent = { idempotencyKey: string };
const pathOf = (key: string): string => `/api/providers/${encodeURIComponent(key)}`;

/** The providers of the team, with their models; the first 200. */
export const providersQuery = readQuery<Page<Provider>>(keys.providers, '/api/providers?limit=200');

/** One provider, by its key. */
export const providerQuery = (key: string) => readQuery<Provider>([...keys.providers, key], pathOf(key));

/** Templates of common hosts; they change only with a release. */
export const templatesQuery = queryOptions({
  queryKey: ['templates'],
  queryFn: read<z.infer<typeof ProviderTemplates>>('/api/providers/templates'),
  staleTime: Infinity,
});

/** Prices of common hosts' models; they change only when the server starts. */
export const pricesQuery = queryOptions({
  queryKey: ['prices'],
  queryFn: read<KnownPrices>('/api/prices'),
  staleTime: Infinity,
});

/** @param body the text of a ProviderInput */
export const createProvider = (body: string, options: Sent) =>
  client.call<Provider>('POST', '/api/providers', body, options);
/** @param body the text of a ProviderPatch */
export const changeProvider = ({ key, body }: { key: string; body: string }, options: Sent) =>
  client.call<Provider>('PATCH', pathOf(key), body, options);
export const deleteProvider = (key: string, options: Sent) =>
  client.call<void>('DELETE', pathOf(key), undefined, options);

export type ProviderTest = z.infer<typeof ProviderTestSchema>;

/** Sends a run's default request to the first model of a provider. */
export const testProvider = (key: string, options: Sent): Promise<ProviderTest> =>
  client.call('POST', `${pathOf(key)}/test`, undefined, options);

/** Forgets which settings its models refused, so that requests carry them again. */
export const forgetLearned = (key: string, options: Sent) =>
  client.call<void>('DELETE', `${pathOf(key)}/learned`, undefined, options);

/** The model ids that the endpoint lists. */
export const discoverModels = (key: string) =>
  client.call<z.infer<typeof DiscoveredModels>>('GET', `${pathOf(key)}/discover`);
