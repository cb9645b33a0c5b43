import { z } from 'zod';
import { namedInput } from './named.js';

export const EmbeddingSetting = z
  .strictObject({
    provider_key: z.string().min(1).max(63).describe('The `key` of the provider that has the model.'),
    model_id: z.string().min(1).max(200).describe('The id of the embedding model there.'),
  })
  .or(
    z.strictObject({
      provider_key: z.null().describe('No provider: the team has no embedding model.'),
      model_id: z.null().describe('No model: the team has no embedding model.'),
    }),
  )
  .meta({
    id: 'EmbeddingSetting',
    description: 'The embedding model that the mode `semantic` uses; both null when there is none.',
  });
export type EmbeddingSetting = z.infer<typeof EmbeddingSetting>;

export const SpendingInput = namedInput('SpendingInput', 'The spending limit of a team.', {
  monthly_cap_usd: z
    .number()
    .nonnegative()
    .nullable()
    .describe('US dollars that the team may spend per month; null for no cap.'),
});
export type SpendingInput = z.infer<typeof SpendingInput>;

export const Spending = z
  .object({
    monthly_cap_usd: z.number().nullable().describe('US dollars that the team may spend per month; null for no cap.'),
    spent_usd: z
      .number()
      .describe(
        'US dollars that the team has spent this month. The embedding model counts, too. Models ' +
          'without prices do not.',
      ),
    month: z.string().describe('The month, in UTC, as YYYY-MM.'),
  })
  .meta({
    id: 'Spending',
    description:
      'The spending limit of a team, and what it has spent this month. When the cap is reached, runs ' +
      'stop with status `budget_exceeded`, and new runs that cost money are refused.',
  });
export type Spending = z.infer<typeof Spending>;

export const JobsSetting = namedInput('JobsSetting', 'How many jobs a team runs at once.', {
  running_jobs_per_user: z
    .int()
    .min(1)
    .max(100)
    .describe('How many jobs of each user run at once. Further jobs wait as `pending`, first come, first served.'),
});
export type JobsSetting = z.infer<typeof JobsSetting>;

export const CacheInput = namedInput('CacheInput', 'How long stored replies are used.', {
  lifetime_days: z
    .int()
    .min(0)
    .max(3650)
    .describe('How many days a stored reply answers the same request again. 0 turns this off.'),
});
export type CacheInput = z.infer<typeof CacheInput>;

export const CacheSetting = CacheInput.extend({
  entries: z.int().describe('How many replies are stored.'),
  bytes: z.int().describe('The compressed size of the stored replies, in bytes.'),
}).meta({ id: 'CacheSetting', description: 'How long stored replies are used, and how many there are.' });
export type CacheSetting = z.infer<typeof CacheSetting>;
