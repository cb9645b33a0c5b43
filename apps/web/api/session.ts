import { queryOptions, useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import { ROLES } from '#lib/contracts/values/team';
import type { Me as MeSchema, Role } from '#lib/contracts/team';
import { client, codeOf, statusOf } from './client';
import { keys } from './keys';
import { queryClient } from './query-client';
import { announce } from './session-news';
import { tab, type TabOwner } from './tab';

export type Me = z.infer<typeof MeSchema>;

const ME = '/api/me';
/** An API of the release before knows users only: each is the one person of the same id. */
type ReceivedMe = Omit<Me, 'person'> & Partial<Pick<Me, 'person'>>;
const ownerOf = ({ person, user, team }: ReceivedMe): TabOwner => ({ personId: (person ?? user).id, teamId: team.id });

/** @returns undefined if whoever is signed in is not in the team of this tab, or not its owner */
async function readOwner(signal?: AbortSignal): Promise<Me | undefined> {
  try {
    const me = await client.call<Me>('GET', ME, undefined, { signal });
    return tab.isOf(ownerOf(me)) ? me : undefined;
  } catch (error) {
    if (!isOtherTeam(error)) throw error;
    if (tab.owner()) return undefined;
    // A new tab took its team from another one, or from before a sign-in.
    tab.setTeam(undefined);
    return readOwner(signal);
  }
}

const isOtherTeam = (error: unknown): boolean => codeOf(error) === 'not_in_team';

/** The user that this tab shows. When somebody else has signed in, it still shows its own. */
export const meQuery = queryOptions({
  queryKey: keys.me,
  queryFn: async ({ signal }) => {
    const me = await readOwner(signal);
    if (!me) tab.giveAway();
    return me ?? queryClient.getQueryData<Me>(keys.me)!;
  },
  staleTime: 60_000,
});

/** Exchanges a token for the session cookie, which scripts cannot read. @throws Error a refusal that ends no session */
export async function beginSession(token: string): Promise<Me> {
  try {
    return await client.call<Me>('POST', '/api/session', { token });
  } catch (error) {
    throw statusOf(error) === 401 ? new Error((error as Error).message) : error;
  }
}

/** Signs in where nobody was signed in before. */
export async function signIn(token: string): Promise<Me> {
  const me = await beginSession(token);
  forgetSession();
  tab.isOf(ownerOf(me));
  queryClient.setQueryData(keys.me, me);
  announce('signed in');
  return me;
}

/** Somebody has signed in after the session had ended: its owner goes on where they were, anybody else is asked. */
export async function resumeSession(): Promise<void> {
  if (!tab.owner()) return;
  const me = await readOwner();
  if (!me) return tab.giveAway();
  queryClient.setQueryData(keys.me, me);
  if (tab.state() !== 'valid') tab.resume();
}

/** Also forgets what was read in it. */
export function forgetSession(): void {
  tab.forget();
  queryClient.clear();
}

export async function signOut(): Promise<void> {
  try {
    await client.call('DELETE', '/api/session');
  } catch (error) {
    if (statusOf(error) !== 401) throw error;
  }
  forgetSession();
  announce('signed out');
}

/**
 * Secrets of an address: a token, as in the address that `npm start` prints, and an invitation. They are removed from
 * the address and its history before the first render. A token is exchanged for a session; a refused one leads to the
 * sign-in screen, like a missing one.
 */
export async function takeSecretsFromAddress(): Promise<void> {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get('token');
  invitation = given.get('invitation') ?? undefined;
  if (token === null && invitation === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  if (token !== null) await signIn(token).catch(() => {});
}

let invitation: string | undefined;
/** The invitation of the address that the page was opened at. It lasts as long as the page. */
export const givenInvitation = (): string | undefined => invitation;

const WITH_ARTICLE: Record<Role, string> = { viewer: 'a viewer', editor: 'an editor', owner: 'an owner' };

/** Why a user of this role may not do what needs `needed`; undefined if they may. */
function refusalOf(role: Role | undefined, needed: Role): string | undefined {
  if (role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(needed)) return undefined;
  return `This needs ${WITH_ARTICLE[needed]}; you are ${role ? WITH_ARTICLE[role] : 'not signed in'}.`;
}

/** Why the user may not do what needs this role, as the reason of a disabled control; undefined if they may. */
export function useRefusal(needed: Role): string | undefined {
  const { data } = useQuery(meQuery);
  return data?.token?.reads_only && needed !== 'viewer'
    ? 'The token that you signed in with only reads.'
    : refusalOf(data?.role, needed);
}
