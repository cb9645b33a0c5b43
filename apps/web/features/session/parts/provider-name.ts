import { useQuery } from '@tanstack/react-query';
import { waysQuery } from '../ways';

/** What people call a provider of sign-in; its id if it is no longer configured. */
export function useProviderName(): (id: string) => string {
  const { data } = useQuery(waysQuery);
  return (id) => data?.providers.find((provider) => provider.id === id)?.name ?? id;
}
