import { z } from 'zod';
import { described, named, namedInput } from './named.js';
import { id, time } from './page.js';
import { ROLES } from './values/team.js';

export const Role = z
  .enum(ROLES)
  .describe(
    'What a token may do. A `viewer` reads. An `editor` changes everything except tokens, ' +
      'providers and settings. An `owner` changes these, too.',
  );
export type Role = z.infer<typeof Role>;

const name = z.string().trim().min(1).max(100);
export const TokenInput = namedInput('TokenInput', 'A token to create.', {
  name: name.describe('The purpose of the token, to recognise it in the list.'),
  role: Role,
  user: name
    .optional()
    .describe('The user of the token. If the team has no user of this name, one is created. Defaults to the caller.'),
  expires_at: time.nullable().default(null).describe('When the token expires; null for never.'),
});
export type TokenInput = z.infer<typeof TokenInput>;

export const Token = named('Token', 'A token of the team. Only a hash of its secret is stored.', {
  id: id.describe('The id of the token, which you need to delete it. It is not the secret.'),
  name: z.string().describe('The purpose of the token.'),
  role: Role,
  user: z.string().describe("The name of the token's user."),
  expires_at: time.nullable().describe('When the token expires; null for never.'),
  created_at: time.describe('When the token was created.'),
});
export type Token = z.infer<typeof Token>;
export const NewToken = Token.extend({
  token: z
    .string()
    .optional()
    .describe(
      'The secret, for `Authorization: Bearer`. It is shown once: a repeated request with the same ' +
        'Idempotency-Key leaves it out.',
    ),
}).meta({ id: 'NewToken', description: 'A new token, with its secret.' });

export const TeamInput = namedInput('TeamInput', 'A team to create.', {
  name: name.describe('The name of the team, unique in the installation.'),
});
export const Team = named('Team', 'A team. Nobody else sees its suites, providers and runs.', {
  id: id.describe('The id of the team.'),
  name: z.string().describe('The name of the team, unique in the installation.'),
  created_at: time.describe('When the team was created.'),
});
export type Team = z.infer<typeof Team>;
export const NewTeam = Team.extend({
  token: NewToken.describe("The token of the team's first owner."),
}).meta({ id: 'NewTeam', description: 'A new team.' });

export const Me = named('Me', "The owner of the request's token or session, and what it may do.", {
  team: described('The team whose suites, providers and runs the token sees.', {
    id: id.describe('The id of the team.'),
    name: z.string().describe('The name of the team.'),
  }),
  user: described('The user of the token.', {
    id: id.describe('The id of the user.'),
    name: z.string().describe('The name of the user.'),
  }),
  role: Role,
});
