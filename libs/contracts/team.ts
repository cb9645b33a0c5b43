import { z } from 'zod';
import { id, time } from './page.js';
import { ROLES } from './values/team.js';

export const Role = z.enum(ROLES).meta({
  description:
    'What a token may do. A `viewer` reads. An `editor` changes everything except tokens, ' +
    'providers and settings. An `owner` changes these, too.',
});
export type Role = z.infer<typeof Role>;

const name = z.string().trim().min(1).max(100);
export const TokenInput = z
  .strictObject({
    name: name.meta({ description: 'The purpose of the token, to recognise it in the list.' }),
    role: Role,
    user: name.optional().meta({
      description:
        'The user of the token. If the team has no user of this name, one is created. Defaults to the caller.',
    }),
    expires_at: time.nullable().default(null).meta({ description: 'When the token expires; null for never.' }),
  })
  .meta({ id: 'TokenInput', description: 'A token to create.' });
export type TokenInput = z.infer<typeof TokenInput>;

export const Token = z
  .object({
    id: id.meta({ description: 'The id of the token, which you need to delete it. It is not the secret.' }),
    name: z.string().meta({ description: 'The purpose of the token.' }),
    role: Role,
    user: z.string().meta({ description: "The name of the token's user." }),
    expires_at: time.nullable().meta({ description: 'When the token expires; null for never.' }),
    created_at: time.meta({ description: 'When the token was created.' }),
  })
  .meta({ id: 'Token', description: 'A token of the team. Only a hash of its secret is stored.' });
export type Token = z.infer<typeof Token>;
export const NewToken = Token.extend({
  token: z
    .string()
    .optional()
    .meta({
      description:
        'The secret, for `Authorization: Bearer`. It is shown once: a repeated request with the same ' +
        'Idempotency-Key leaves it out.',
    }),
}).meta({ id: 'NewToken', description: 'A new token, with its secret.' });

export const TeamInput = z
  .strictObject({ name: name.meta({ description: 'The name of the team, unique in the installation.' }) })
  .meta({ id: 'TeamInput', description: 'A team to create.' });
export const Team = z
  .object({
    id: id.meta({ description: 'The id of the team.' }),
    name: z.string().meta({ description: 'The name of the team, unique in the installation.' }),
    created_at: time.meta({ description: 'When the team was created.' }),
  })
  .meta({ id: 'Team', description: 'A team. Nobody else sees its suites, providers and runs.' });
export type Team = z.infer<typeof Team>;
export const NewTeam = Team.extend({
  token: NewToken.meta({ description: "The token of the team's first owner." }),
}).meta({ id: 'NewTeam', description: 'A new team.' });

export const Me = z
  .object({
    team: z
      .object({
        id: id.meta({ description: 'The id of the team.' }),
        name: z.string().meta({ description: 'The name of the team.' }),
      })
      .meta({ description: 'The team whose suites, providers and runs the token sees.' }),
    user: z
      .object({
        id: id.meta({ description: 'The id of the user.' }),
        name: z.string().meta({ description: 'The name of the user.' }),
      })
      .meta({ description: 'The user of the token.' }),
    role: Role,
  })
  .meta({ id: 'Me', description: "The owner of the request's token or session, and what it may do." });
