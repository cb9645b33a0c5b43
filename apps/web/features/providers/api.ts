import type { z } from 'zod';
import type { KnownPrices } from '#lib/contracts/known-prices';
import type { Page } from '#lib/contracts/page';
import type {
  DiscoveredModels,
  KeyReferences,
  Provider,
  ProviderTemplates,
  ProviderTest as ProviderTestSchema,
} from '#lib/contracts/provider';
import type { Sent } from '../../api/action';
import { client, readQuery } from '../../api/client';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';

const pathOf = (key: string): string => `/api/providers/${encodeURIComponent(key)}`;

/** The providers of the team, with their models; the first 200. */
export const providersQuery = readQuery<Page<Provider>>(keys.providers, '/api/providers?limit=200');

/** One provider, by its key. */
export const providerQuery = (key: string) => readQuery<Provider>(keys.providers, pathOf(key));

/** Templates of common hosts; they change only with a release. */
export const templatesQuery = {
  ...readQuery<z.infer<typeof ProviderTemplates>>(['templates'], '/api/providers/templates'),
  staleTime: Infinity,
};

/** The keys that the operator keeps outside of Toolmark for this team. Servers of earlier releases have none. */
export const keyRefsQuery = readQuery<KeyReferences>(keys.providers, '/api/providers/key-refs');

/** Prices of common hosts' models; they change only when the server starts. */
export const pricesQuery = { ...readQuery<KnownPrices>(['prices'], '/api/prices'), staleTime: Infinity };

/** @param body the text of a ProviderInput */
export const createProvider = (body: string, options: Sent): Promise<Provider> =>
  client.call('POST', '/api/providers', body, options);

/** @param body the text of a ProviderPatch */
export const changeProvider = ({ key, body }: { key: string; body: string }, options: Sent): Promise<Provider> =>
  client.call('PATCH', pathOf(key), body, options);

export const deleteProvider = (key: string, options: Sent): Promise<void> =>
  client.call('DELETE', pathOf(key), undefined, options);

/** Refreshes providers, and the lanes that their requests wait in. */
export async function refreshProviders(): Promise<void> {
  await Promise.all([keys.providers, keys.lanes].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

export type ProviderTest = z.infer<typeof ProviderTestSchema>;

/** Sends a run's default request to the first model of a provider. */
export const testProvider = (key: string, options: Sent): Promise<ProviderTest> =>
  client.call('POST', `${pathOf(key)}/test`, undefined, options);

/** Forgets which settings its models refused, so that requests carry them again. */
export const forgetLearned = (key: string, options: Sent): Promise<void> =>
  client.call('DELETE', `${pathOf(key)}/learned`, undefined, options);

/** The model ids that the endpoint lists. */
export const discoverModels = (key: string): Promise<z.infer<typeof DiscoveredModels>> =>
  client.call('GET', `${pathOf(key)}/discover`);
