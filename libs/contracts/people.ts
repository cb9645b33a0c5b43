import { z } from 'zod';
import { described, named, namedInput } from './named.js';
import { id, time } from './page.js';
import { NewToken, Role } from './team.js';

const name = z.string().trim().min(1).max(100);
const lastUsed = {
  last_used_at: time.nullable().describe('When it was last used, to the minute; null for never.'),
  address: z.string().nullable().describe('The network address that it was last used from; null if unknown.'),
  agent: z.string().nullable().describe('The browser or program that last used it; null if unknown.'),
};

export const Member = named('Member', 'Somebody in the team, or a service account.', {
  id: id.describe('The id of the member in this team.'),
  name: z.string().describe('The name of the member, unique in the team.'),
  kind: z.enum(['person', 'service']).describe('`service`: an account for programs, which cannot sign in.'),
  role: Role,
  given_by: z
    .enum(['owner', 'rule'])
    .describe('`rule`: the role follows the groups at the sign-in provider. `owner`: an owner gave it.'),
  signs_in: z.boolean().describe('Whether the member signs in at a provider.'),
  email: z.string().nullable().describe('The mail address, as the provider says; null if unknown.'),
  last_used_at: time.nullable().describe('When a token or session of the member was last used; null for never.'),
  tokens: z.number().int().describe('The number of tokens of the member in this team.'),
  sessions: z.number().int().describe('The number of sessions of the member.'),
  created_at: time.describe('When the member joined.'),
});
export type Member = z.infer<typeof Member>;

export const ServiceAccountInput = namedInput('ServiceAccountInput', 'A service account to create.', {
  name: name.describe('The name, unique in the team.'),
  role: Role,
});
export type ServiceAccountInput = z.infer<typeof ServiceAccountInput>;
export const MemberPatch = namedInput('MemberPatch', 'A change to a member.', { role: Role });
export type MemberPatch = z.infer<typeof MemberPatch>;
export const RemovedMember = named('RemovedMember', 'What goes on after a member was removed.', {
  running_jobs: z
    .number()
    .int()
    .describe('How many unfinished jobs the member had. They go on; cancel those that should not.'),
});
export type RemovedMember = z.infer<typeof RemovedMember>;

export const InvitationInput = namedInput('InvitationInput', 'An invitation to the team.', {
  role: Role,
  note: z.string().trim().max(200).nullable().default(null).describe('Whom it is for, to recognise it in the list.'),
  expires_in_days: z.number().int().min(1).max(30).default(7).describe('Days until the link ends, 1 to 30.'),
});
export type InvitationInput = z.infer<typeof InvitationInput>;
export const Invitation = named('Invitation', 'A link that makes one person a member of the team.', {
  id: id.describe('The id of the invitation, which you need to withdraw it.'),
  role: Role,
  note: z.string().nullable().describe('Whom it is for; null if nobody said.'),
  created_by: z.string().describe('The name of the owner who made it.'),
  created_at: time.describe('When it was made.'),
  expires_at: time.describe('When the link ends.'),
  accepted_by: z.string().nullable().describe('The name of the member that it made; null while it is open.'),
});
export type Invitation = z.infer<typeof Invitation>;
export const NewInvitation = Invitation.extend({
  url: z
    .string()
    .optional()
    .describe('The link, shown once: a repeated request with the same Idempotency-Key leaves it out.'),
}).meta({ id: 'NewInvitation', description: 'A new invitation, with its link.' });

const invitation = z.string().min(1).max(200).describe('The secret of the invitation, from its link.');
export const InvitationSecret = namedInput('InvitationSecret', 'An invitation.', { invitation });
export type InvitationSecret = z.infer<typeof InvitationSecret>;
export const InvitationAcceptance = namedInput('InvitationAcceptance', 'Joins a team without a sign-in provider.', {
  invitation,
  name: name.describe('The name to have in the team.'),
});
export type InvitationAcceptance = z.infer<typeof InvitationAcceptance>;
export const ReadInvitation = named('ReadInvitation', 'What an invitation offers.', {
  team: z.string().describe('The name of the team.'),
  role: Role,
  invited_by: z.string().describe('The name of the owner who made it.'),
  expires_at: time.describe('When the link ends.'),
});
export const Joined = named('Joined', 'A new member, with a token.', { token: NewToken.describe('The first token.') });

export const SessionEntry = named('SessionEntry', 'A browser that is signed in.', {
  id: id.describe('The id of the session, which you need to end it.'),
  user: z.string().describe('The name of the member.'),
  provider: z.string().nullable().describe('The sign-in provider; null for a session that began with a token.'),
  token: z.string().nullable().describe('The name of the token that it began with; null for none.'),
  created_at: time.describe('When it began.'),
  expires_at: time.describe('When it ends at the latest.'),
  is_current: z.boolean().describe('Whether it is the session of this request.'),
  ...lastUsed,
});
export type SessionEntry = z.infer<typeof SessionEntry>;

export const OwnTeam = named('OwnTeam', 'A team that the person is in.', {
  id: id.describe('The id of the team.'),
  name: z.string().describe('The name of the team.'),
  role: Role,
  is_current: z.boolean().describe('Whether the request is about this team.'),
});
export type OwnTeam = z.infer<typeof OwnTeam>;
export const SessionPatch = namedInput('SessionPatch', 'A change to the session of the request.', {
  team_id: id.describe('The team that new tabs of the page show.'),
});
export type SessionPatch = z.infer<typeof SessionPatch>;

export const SignInOptions = named('SignInOptions', 'How people sign in here.', {
  providers: z
    .array(
      described('A provider.', {
        id: z.string().describe('The id of the provider, for POST /api/sign-in/{provider}.'),
        name: z.string().describe('What people call it.'),
      }),
    )
    .describe('The OpenID Connect providers; empty where only tokens sign in.'),
});
export const SignInInput = namedInput('SignInInput', 'Begins a sign-in at a provider.', {
  back: z.string().max(2000).optional().describe('The path of the page to return to, such as /runs.'),
  invitation: invitation.optional(),
});
export const SignInStart = named('SignInStart', 'Where the browser goes next.', {
  url: z.string().describe('The address at the provider.'),
});

export const DeviceLoginInput = namedInput('DeviceLoginInput', 'Begins a login of a command line.', {
  name: name.describe('The host that asks, for whoever approves it.'),
});
export const DeviceLogin = named('DeviceLogin', 'A login that waits to be approved in a browser.', {
  device_code: z.string().describe('The secret to ask with. Only this response contains it.'),
  user_code: z.string().describe('The code that the browser shows, too.'),
  url: z.string().describe('The address where a person approves it.'),
  expires_in_s: z.number().int().describe('Seconds until it ends.'),
  interval_s: z.number().int().describe('Seconds to wait between two questions.'),
});
export const DeviceCode = namedInput('DeviceCode', 'Asks whether a login was approved.', {
  device_code: z.string().min(1).max(200).describe('The `device_code` of the login.'),
});
export const DeviceToken = named('DeviceToken', 'The token of an approved login.', {
  token: z.string().describe('The secret, for `Authorization: Bearer`. It is shown once.'),
  team: z.string().describe('The team of the token.'),
  user: z.string().describe('The member that it belongs to.'),
  role: Role,
  expires_at: time.nullable().describe('When it expires; null for never.'),
});
export const WaitingDeviceLogin = named('WaitingDeviceLogin', 'A login that asks for approval.', {
  user_code: z.string().describe('The code to compare with the one in the terminal.'),
  name: z.string().describe('The host that asks, as it says itself.'),
  address: z.string().nullable().describe('The network address that it asks from; null if unknown.'),
  created_at: time.describe('When it began.'),
  expires_at: time.describe('When it ends.'),
});
export const DeviceDecision = namedInput('DeviceDecision', 'Approves or refuses a login.', {
  approve: z.boolean().describe('Whether the login gets a token.'),
  role: Role.optional().describe('The role of its token, at most your own, which is the default.'),
});
