import type { z } from 'zod';
import type { NewTeam as NewTeamSchema, NewToken as NewTokenSchema, Role, Team, Token } from '#lib/contracts/team';
import { client, pagesQuery } from '../../../api/client';
import { keys } from '../../../api/keys';

type Sent = { idempotencyKey: string };
export type NewToken = z.infer<typeof NewTokenSchema>;
export type NewTeam = z.infer<typeof NewTeamSchema>;

export const tokensQuery = pagesQuery<Token>(keys.tokens, '/api/tokens?limit=100');

export interface NewTokenInput {
  name: string;
  role: Role;
  user?: string;
  expires_at: string | null;
}
export const createToken = (input: NewTokenInput, options: Sent) =>
  client.call<NewToken>('POST', '/api/tokens', input, options);
export const deleteToken = (id: string, options: Sent) =>
  client.call<void>('DELETE', `/api/tokens/${id}`, undefined, options);

export const teamsQuery = pagesQuery<Team>(keys.teams, '/api/teams?limit=100');
export const createTeam = (name: string, options: Sent) =>
  client.call<NewTeam>('POST', '/api/teams', { name }, options);
