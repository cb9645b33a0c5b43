import { z } from 'zod';
import { described, named } from './named.js';
import { id, PageQuery, time } from './page.js';

const text = z.string().min(1).max(200);
const filters = {
  action: text.optional().meta({
    description: 'An action such as `provider.update`, or the beginning of some: `provider.`.',
    example: 'provider.',
  }),
  user_id: id.optional().meta({ description: 'The id of a user.', example: '019aa8a2-5c1e-7000-8000-000000000002' }),
  token_id: id.optional().meta({ description: 'The id of a token.', example: '019aa8a2-5c1e-7000-8000-000000000071' }),
  subject: text.optional().meta({
    description:
      'The id or key of what was changed, or the route that was refused. For what has two ids, the first is enough.',
    example: 'openai',
  }),
  address: z.string().min(1).max(45).optional().meta({
    description: 'The address that the request came from.',
    example: '192.0.2.7',
  }),
  request_id: z.string().min(1).max(100).optional().meta({
    description: 'The `x-request-id` of a response.',
    example: '019aa8a2-5c1e-7000-8000-000000000191',
  }),
  from: time.optional().meta({ description: 'The earliest time.', example: '2026-11-01T00:00:00Z' }),
  to: time
    .optional()
    .meta({ description: 'The time before which entries were made.', example: '2026-12-01T00:00:00Z' }),
  team_id: id.optional().meta({
    description: 'Another team; for owners of the team `default`.',
    example: '019aa8a2-5c1e-7000-8000-000000000001',
  }),
};

export const AuditQuery = PageQuery.extend(filters);
export type AuditQuery = z.infer<typeof AuditQuery>;
/** The filters of an export. */
export const AuditFilter = z.strictObject(filters);
export type AuditFilter = z.infer<typeof AuditFilter>;

const who = (what: string) =>
  described(`The ${what}.`, {
    id: id.describe(`The id of the ${what}.`),
    name: z.string().nullable().describe(`The name of the ${what}; null if it is gone.`),
  }).nullable();

export const AuditChange = named('AuditChange', 'A field that changed.', {
  field: z.string().describe('The name of the field; a dot leads into an object.'),
  before: z
    .unknown()
    .describe('What was there, up to 1 KiB; a digest of prompts and suites; null when it was created.'),
  after: z.unknown().describe('What is there now, likewise; null when it was deleted.'),
});
export type AuditChange = z.infer<typeof AuditChange>;

export const AuditEntry = named('AuditEntry', 'Something that was changed, or refused.', {
  id: id.describe('The id of the entry.'),
  at: time.describe('When it happened; for refusals, when the minute began that they are counted for.'),
  action: z.string().describe('What was done, such as `provider.update`, or refused, such as `refused.role`.'),
  subject: z.string().describe('The id or key of what was changed; the route of what was refused.'),
  subject_name: z.string().nullable().describe('The name of what was changed; null if it has none, or is gone.'),
  team_id: id.nullable().describe('The team; null when nobody knows whose: a wrong token, a failed sign-in.'),
  user: who('user').describe('Who did it; null for workers and for unknown callers.'),
  token: who('token').describe('The token of the request, or of its session; null for none.'),
  session_id: id.nullable().describe('The session of the request; null for none.'),
  address: z
    .string()
    .nullable()
    .describe('The address that the request came from, or the IPv6 network of an unknown caller; null if unknown.'),
  request_id: z.string().nullable().describe('The `x-request-id` of the response; null if there was no request.'),
  changes: z.array(AuditChange).describe('What changed; empty if nothing more is known.'),
  cause: z
    .string()
    .nullable()
    .describe('Why, where no caller asked for it, such as `retention` or `a rule of sign-in`; null otherwise.'),
  count: z.number().int().describe('How many refusals of this kind the minute had; 1 for a change.'),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
