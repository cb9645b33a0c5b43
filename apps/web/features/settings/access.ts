import type { z } from 'zod';
import type { Json } from '#lib/contracts/json/json';
import type {
  Invitation,
  Member,
  NewInvitation as NewInvitationSchema,
  RemovedMember,
  SessionEntry,
} from '#lib/contracts/people';
import type { NewToken as NewTokenSchema, Token } from '#lib/contracts/team';
import type { Sent } from '../../api/action';
import { client, pagesQuery } from '../../api/client';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';
import { meQuery } from '../../api/session';
import { ownTeamsQuery } from '../session/api';

// People, tokens and sessions: who may come in. The first view does without.

export type NewToken = z.infer<typeof NewTokenSchema>;

/** A change by its path and the id that it is about. */
const remove =
  (path: string) =>
  (id: string, options: Sent): Promise<void> =>
    client.call('DELETE', `${path}/${id}`, undefined, options);

export const tokensQuery = pagesQuery<Token>(keys.tokens, '/api/tokens?limit=100');
export const createToken = (input: Json, options: Sent): Promise<NewToken> =>
  client.call('POST', '/api/tokens', input, options);
export const deleteToken = remove('/api/tokens');
export const changeCap = ({ id, ...input }: { id: string; monthly_cap_usd: Json }, options: Sent): Promise<Token> =>
  client.call('PATCH', `/api/tokens/${id}`, JSON.stringify(input), options);

export const ownTokensQuery = pagesQuery<Token>(keys.ownTokens, '/api/me/tokens?limit=100');
export const createOwnToken = (input: Json, options: Sent): Promise<NewToken> =>
  client.call('POST', '/api/me/tokens', input, options);
export const deleteOwnToken = remove('/api/me/tokens');

export const ownSessionsQuery = pagesQuery<SessionEntry>(keys.ownSessions, '/api/me/sessions?limit=100');
export const endOwnSession = remove('/api/me/sessions');
export const sessionsQuery = pagesQuery<SessionEntry>(keys.sessions, '/api/sessions?limit=100');
export const endSession = remove('/api/sessions');

export const membersQuery = pagesQuery<Member>(keys.people, '/api/users?limit=100');
export const createServiceAccount = (input: Json, options: Sent): Promise<Member> =>
  client.call('POST', '/api/users', input, options);
export const changeRole = ({ id, role }: Pick<Member, 'id' | 'role'>, options: Sent): Promise<Member> =>
  client.call('PATCH', `/api/users/${id}`, { role }, options);
/** @returns how much of theirs goes on */
export const removeMember = ({ id }: Pick<Member, 'id' | 'name'>, options: Sent): Promise<RemovedMember> =>
  client.call('DELETE', `/api/users/${id}`, undefined, options);

export type NewInvitation = z.infer<typeof NewInvitationSchema>;
export const invitationsQuery = pagesQuery<Invitation>(keys.invitations, '/api/invitations?limit=100');
export const invite = (input: Json, options: Sent): Promise<NewInvitation> =>
  client.call('POST', '/api/invitations', input, options);
export const withdrawInvitation = remove('/api/invitations');

type List = Parameters<typeof queryClient.ensureInfiniteQueryData>[0];
/** What failed is said where it would be shown. */
const fetchAll = (lists: readonly unknown[]): Promise<unknown> =>
  Promise.allSettled(lists.map((list) => queryClient.ensureInfiniteQueryData(list as List)));

const ofOwners = (...lists: unknown[]) =>
  async function load(): Promise<unknown> {
    const me = await queryClient.ensureQueryData(meQuery).catch(() => undefined);
    return me?.role === 'owner' && fetchAll(lists);
  };

/** Fetches what a screen shows before it is shown: it would move while its lists come in. */
export const before = {
  account: async () => {
    const me = await queryClient.ensureQueryData(meQuery).catch(() => undefined);
    const teams = me?.session?.provider != null && queryClient.ensureQueryData(ownTeamsQuery);
    return Promise.allSettled([teams, fetchAll([ownSessionsQuery, ownTokensQuery])]);
  },
  people: ofOwners(membersQuery, invitationsQuery),
  tokens: ofOwners(tokensQuery),
  sessions: ofOwners(sessionsQuery),
};
