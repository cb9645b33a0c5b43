import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import { ApiClient } from '#lib/client/api-client';
import type { Json } from '#lib/contracts/json/json';
import type {
  DeviceDecision,
  Joined,
  OwnTeam as OwnTeamSchema,
  ReadInvitation as ReadInvitationSchema,
  SignInStart,
  WaitingDeviceLogin,
} from '#lib/contracts/people';
import type { Sent } from '../../api/action';
import { tab } from '../../api/tab';
import type { Me } from '../../api/session';
import { client, readQuery } from '../../api/client';
import { keys } from '../../api/keys';

export type OwnTeam = z.infer<typeof OwnTeamSchema>;
/** The teams that the user is in. */
export const ownTeamsQuery = readQuery<{ items: OwnTeam[] }>(keys.ownTeams, '/api/me/teams?limit=200');

/** Leaves for a provider. @param back the address that it ends at */
export async function leaveFor(provider: string, back: string, invitation?: string): Promise<void> {
  const path = `/api/sign-in/${encodeURIComponent(provider)}`;
  const { url } = await client.call<z.infer<typeof SignInStart>>('POST', path, {
    back,
    ...(invitation && { invitation }),
  });
  if (!/^https?:/.test(url)) throw new Error('The server names no address of a provider.');
  location.assign(url);
}

export type ReadInvitation = z.infer<typeof ReadInvitationSchema>;
/** What an invitation offers. Its secret travels in the body: addresses are logged. */
export const invitationQuery = (invitation: string) =>
  queryOptions({
    queryKey: [...keys.signIn, 'invitation', invitation],
    queryFn: ({ signal }) => client.call<ReadInvitation>('POST', '/api/invitations/read', { invitation }, { signal }),
    // What it says changes when it is accepted or withdrawn, which the answer to the acceptance says too.
    staleTime: Infinity,
  });
/** Joins as whoever is signed in. */
export const joinTeam = (invitation: string, options: Sent): Promise<OwnTeam> =>
  client.call('POST', '/api/me/memberships', { invitation }, options);
/** Joins where nobody signs in at a provider: with a token, which only this answer contains. */
export const joinWithToken = (input: Json, options: Sent): Promise<z.infer<typeof Joined>> =>
  client.call('POST', '/api/invitations/accept', input, options);

export type WaitingLogin = z.infer<typeof WaitingDeviceLogin>;
const loginPath = (code: string): string => `/api/me/device-logins/${encodeURIComponent(code)}`;
/** A login of a command line that waits for approval. */
export const waitingLoginQuery = (code: string) => readQuery<WaitingLogin>(keys.login(code), loginPath(code));
export type Decision = z.infer<typeof DeviceDecision>;
export const decideLogin = ({ code, ...decision }: Decision & { code: string }, options: Sent): Promise<void> =>
  client.call('POST', loginPath(code), decision, options);

/** Whoever is signed in, in whatever team. */
export const whoIsSignedIn = ({ signal }: { signal?: AbortSignal } = {}): Promise<Me> =>
  new ApiClient(location.origin).call<Me>('GET', '/api/me', undefined, { signal });

/** Opens the page from its beginning for whoever is signed in. */
export function startOver(): void {
  tab.setTeam(undefined);
  location.assign('/');
}

/** Shows another team of the user in this tab, from its beginning. New tabs begin in it, too. */
export async function switchTeam(teamId: string, address = '/'): Promise<void> {
  await client.call('PUT', '/api/session', { team_id: teamId });
  tab.setTeam(teamId);
  location.assign(address);
}
