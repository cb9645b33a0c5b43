import { z } from 'zod';
import { id, time } from './page.js';

export const ROLES = ['viewer', 'editor', 'owner'] as const;
export const Role = z.enum(ROLES).meta({
  description:
    'What a token may do: a `viewer` reads; an `editor` changes everything but tokens, providers and ' +
    'settings; an `owner` changes these, too.',
});
export type Role = z.infer<typeof Role>;

const name = z.string().trim().min(1).max(100);
export const TokenInput = z
  .strictObject({
    name: name.meta({ description: 'What the token is for, so that it is known again in the list.' }),
    role: Role,
    user: name.optional().meta({
      description:
        "Whose token it is: a user of the team, made when there is none of this name. Left out, the caller's.",
    }),
    expires_at: time.nullable().default(null).meta({ description: 'Until when the token is valid; null for good.' }),
  })
  .meta({ id: 'TokenInput', description: 'A token to make.' });
export type TokenInput = z.infer<typeof TokenInput>;

export const Token = z
  .object({
    id: id.meta({ description: 'The id of the token, by which it is deleted. It is not the secret.' }),
    name: z.string().meta({ description: 'What the token is for.' }),
    role: Role,
    user: z.string().meta({ description: 'The name of the user whose token it is.' }),
    expires_at: time.nullable().meta({ description: 'Until when it is valid; null for good.' }),
    created_at: time.meta({ description: 'When the token was made.' }),
  })
  .meta({ id: 'Token', description: 'A token of the team. Its secret is kept as a hash alone.' });
export type Token = z.infer<typeof Token>;
export const NewToken = Token.extend({
  token: z
    .string()
    .optional()
    .meta({
      description:
        'The secret, to be sent as `Authorization: Bearer`. It is told this once: a repeated request ' +
        'with the same Idempotency-Key leaves it out.',
    }),
}).meta({ id: 'NewToken', description: 'A token that was just made, with its secret.' });

export const TeamInput = z
  .strictObject({ name: name.meta({ description: 'The name of the team, unique in the installation.' }) })
  .meta({ id: 'TeamInput', description: 'A team to make.' });
export const Team = z
  .object({
    id: id.meta({ description: 'The id of the team.' }),
    name: z.string().meta({ description: 'The name of the team, unique in the installation.' }),
    created_at: time.meta({ description: 'When the team was made.' }),
  })
  .meta({ id: 'Team', description: 'A team: its suites, providers and runs are seen by nobody else.' });
export type Team = z.infer<typeof Team>;
export const NewTeam = Team.extend({
  token: NewToken.meta({ description: "The first owner's token of the team." }),
}).meta({ id: 'NewTeam', description: 'A team that was just made.' });

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
      .meta({ description: 'Whose token it is.' }),
    role: Role,
  })
  .meta({ id: 'Me', description: 'Who the token of the request belongs to, and what it may do.' });
