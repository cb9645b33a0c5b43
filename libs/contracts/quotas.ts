import { z } from 'zod';
import { named, namedInput } from './named.js';
import { QUOTA_NAMES, QUOTAS, type QuotaName } from './values/quotas.js';

const listed = (name: QuotaName): string => `\`${name}\`: ${QUOTAS[name].means}`;

export const Quota = named('Quota', 'How much of something a team may have.', {
  name: z.enum(QUOTA_NAMES).describe(QUOTA_NAMES.map(listed).join(' ')),
  limit: z.int().describe('The most that the team may have. What is there stays when it falls below that.'),
  default: z.int().describe('The limit where nobody has set one.'),
  is_set: z.boolean().describe('Whether somebody has set it for this team, or for all teams if those were asked for.'),
  used: z.int().nullable().describe('How much the team has; null for all teams together.'),
});
export type Quota = z.infer<typeof Quota>;

export const Quotas = named('Quotas', 'The quotas of a team, or those that hold for all teams.', {
  team_id: z.uuid().nullable().describe('The id of the team; null for all teams.'),
  team: z.string().nullable().describe('The name of the team; null for all teams.'),
  quotas: z.array(Quota).describe('Every quota.'),
});
export type Quotas = z.infer<typeof Quotas>;

export const QuotasQuery = z.strictObject({
  team_id: z.uuid().or(z.literal('all')).optional().meta({
    description:
      'Another team, or `all` for what holds for all teams, for owners of the team `default`; your own if omitted.',
    example: 'all',
  }),
});
export type QuotasQuery = z.infer<typeof QuotasQuery>;

const Limit = z.int().nonnegative().nullable();

export const QuotasInput = namedInput('QuotasInput', 'The quotas to set; the others stay.', {
  quotas: z
    .strictObject(
      Object.fromEntries(
        QUOTA_NAMES.map((name) => [
          name,
          Limit.optional().describe(`${QUOTAS[name].means} null: back to the default.`),
        ]),
      ) as Record<QuotaName, z.ZodOptional<typeof Limit>>,
    )
    .describe('Limits by name. One below what is used loses nothing: it only keeps the team from having more.'),
});
export type QuotasInput = z.infer<typeof QuotasInput>;
