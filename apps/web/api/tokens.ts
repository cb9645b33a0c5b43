import { infiniteQueryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type { Page } from '#lib/contracts/page';
import type { NewTeam as NewTeamSchema, NewToken as NewTokenSchema, Role, Team, Token } from '#lib/contracts/team';
import { client } from './client';
import { keys } from './keys';

type Sent = { idempotencyKey: string };
export type NewToken = z.infer<typeof NewTokenSchema>;
export type NewTeam = z.infer<typeof NewTeamSchema>;

const listQuery = <Item>(key: readonly string[], path: string) =>
  infiniteQueryOptions({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      client.call<Page<Item>>('GET', `${path}?limit=100${pageParam}`, undefined, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : `&cursor=${cursor}`),
  });

export const tokensQuery = listQuery<Token>(keys.tokens, '/api/tokens');

export interface TokenToMake {
  name: string;
  role: Role;
  user?: string;
  expires_at: string | null;
}
export const makeToken = (input: TokenToMake, options: Sent) =>
  client.call<NewToken>('POST', '/api/tokens', input, options);
export const deleteToken = (id: string, options: Sent) =>
  client.call<void>('DELETE', `/api/tokens/${id}`, undefined, options);

export const teamsQuery = listQuery<Team>(keys.teams, '/api/teams');
export const makeTeam = (name: string, options: Sent) => client.call<NewTeam>('POST', '/api/teams', { name }, options);
