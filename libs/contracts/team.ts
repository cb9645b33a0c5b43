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
/** The maximum number of suites that a token is limited to. */
const MAX_SUITES_OF_A_TOKEN = 100;
const cap = z
  .number()
  .positive()
  .max(1e9)
  .nullable()
  .describe('US dollars that runs of the token may cost in a calendar month (UTC); null for no cap.');
const limits = {
  reads_only: z.boolean().default(false).describe('Whether the token only reads, whatever its role.'),
  suite_ids: z
    .array(id)
    .min(1)
    .max(MAX_SUITES_OF_A_TOKEN)
    .nullable()
    .default(null)
    .describe('The suites that the token is limited to, with their runs; null for all of the team.'),
  monthly_cap_usd: cap.default(null),
};
export const TokenInput = namedInput('TokenInput', 'A token to create.', {
  name: name.describe('The purpose of the token, to recognise it in the list.'),
  role: Role,
  user: name
    .optional()
    .describe('The user of the token. If the team has no user of this name, one is created. Defaults to the caller.'),
  expires_at: time
    .nullable()
    .optional()
    .describe('When the token expires; null for never. If left out, after `TOOLMARK_TOKEN_DAYS` days (90).'),
  ...limits,
});
export type TokenInput = z.infer<typeof TokenInput>;
export const OwnTokenInput = TokenInput.omit({ user: true }).meta({
  id: 'OwnTokenInput',
  description: 'A token to create for yourself.',
});
export type OwnTokenInput = z.infer<typeof OwnTokenInput>;
export const TokenPatch = namedInput('TokenPatch', 'A change to a token.', { monthly_cap_usd: cap });
export type TokenPatch = z.infer<typeof TokenPatch>;

export const Token = named('Token', 'A token of the team. Only a hash of its secret is stored.', {
  id: id.describe('The id of the token, which you need to delete it. It is not the secret.'),
  name: z.string().describe('The purpose of the token.'),
  role: Role,
  user: z.string().describe("The name of the token's user."),
  expires_at: time.nullable().describe('When the token expires; null for never.'),
  created_at: time.describe('When the token was created.'),
  created_by: z.string().nullable().describe('The name of the member who created it; null if unknown.'),
  reads_only: z.boolean().describe('Whether the token only reads, whatever its role.'),
  suites: z
    .array(described('A suite.', { id: id.describe('Its id.'), name: z.string().describe('Its name.') }))
    .nullable()
    .describe('The suites that the token is limited to; null for all of the team.'),
  monthly_cap_usd: cap,
  spent_usd: z.number().describe('US dollars that runs of the token have cost in this calendar month (UTC).'),
  last_used_at: time.nullable().describe('When it was last used, to the minute; null for never.'),
  address: z.string().nullable().describe('The network address that it was last used from; null if unknown.'),
  agent: z.string().nullable().describe('The program that last used it; null if unknown.'),
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
  person: described('The person behind the user, who may be in several teams.', {
    id: id.describe('The id of the person.'),
    kind: z.enum(['person', 'service']).describe('`service`: an account for programs.'),
    email: z.string().nullable().describe('The mail address, as the provider says; null if unknown.'),
    signs_in: z.boolean().describe('Whether the person signs in at a provider.'),
  }),
  token: described('The token of the request, or the one that its session began with.', {
    id: id.describe('The id of the token.'),
    name: z.string().describe('The name of the token.'),
    expires_at: time.nullable().describe('When it expires; null for never.'),
    reads_only: z.boolean().describe('Whether it only reads.'),
    suite_ids: z.array(id).nullable().describe('The suites that it is limited to; null for all of the team.'),
    monthly_cap_usd: cap,
  })
    .nullable()
    .describe('Null for a session of a sign-in at a provider.'),
  session: described('The session of the request.', {
    id: id.describe('The id of the session.'),
    provider: z.string().nullable().describe('The sign-in provider; null for a session that began with a token.'),
    expires_at: time.describe('When it ends at the latest.'),
  })
    .nullable()
    .describe('Null for a request with a token.'),
});
