import { queryOptions, useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import { ROLES } from '#lib/contracts/values/team';
import type { Me as MeSchema, Role } from '#lib/contracts/team';
import { client, read } from './client';
import { keys } from './keys';
import { queryClient } from './query-client';

export type Me = z.infer<typeof MeSchema>;

export const meQuery = queryOptions({
  queryKey: keys.me,
  queryFn: read<Me>('/api/me'),
  staleTime: 60_000,
});

/** Exchanges a token for the session cookie, which scripts cannot read. @throws ApiError 401 */
export async function signIn(token: string): Promise<Me> {
  const me = await client.call<Me>('POST', '/api/session', { token });
  queryClient.clear();
  queryClient.setQueryData(keys.me, me);
  return me;
}

export async function signOut(): Promise<void> {
  await client.call('DELETE', '/api/session');
  queryClient.clear();
}

/**
 * `npm start` prints an address with `#token=...`. It is exchanged before the first render, and removed from the
 * address and its history. A refused token leads to the sign-in screen, like a missing one.
 */
export async function takeTokenFromAddress(): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) return;
  history.replaceState(null, '', location.pathname + location.search);
  await signIn(token).catch(() => {});
}

const WITH_ARTICLE: Record<Role, string> = { viewer: 'a viewer', editor: 'an editor', owner: 'an owner' };

/** Why a user of this role may not do what needs `needed`; undefined if they may. */
function refusalOf(role: Role | undefined, needed: Role): string | undefined {
  if (role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(needed)) return undefined;
  return `This needs ${WITH_ARTICLE[needed]}; you are ${role ? WITH_ARTICLE[role] : 'not signed in'}.`;
}

/** Why the user lacks this role, as the reason of a disabled control; undefined if they have it. */
export function useRefusal(needed: Role): string | undefined {
  const { data } = useQuery(meQuery);
  return refusalOf(data?.role, needed);
}
