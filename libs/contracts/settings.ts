import { z } from 'zod';

export const EmbeddingSetting = z
  .strictObject({
    provider_key: z.string().min(1).max(63).meta({ description: 'The `key` of the provider that has the model.' }),
    model_id: z.string().min(1).max(200).meta({ description: 'The id of the embedding model there.' }),
  })
  .or(
    z.strictObject({
      provider_key: z.null().meta({ description: 'No provider: the team has no embedding model.' }),
      model_id: z.null().meta({ description: 'No model: the team has no embedding model.' }),
    }),
  )
  .meta({
    id: 'EmbeddingSetting',
    description: 'The embedding model that the mode `semantic` uses; both null when there is none.',
  });
export type EmbeddingSetting = z.infer<typeof EmbeddingSetting>;

export const SpendingInput = z
  .strictObject({
    monthly_cap_usd: z
      .number()
      .nonnegative()
      .nullable()
      .meta({ description: 'US dollars that the team may spend per month; null for no cap.' }),
  })
  .meta({ id: 'SpendingInput', description: 'The spending limit of a team.' });
export type SpendingInput = z.infer<typeof SpendingInput>;

export const Spending = z
  .object({
    monthly_cap_usd: z
      .number()
      .nullable()
      .meta({ description: 'US dollars that the team may spend per month; null for no cap.' }),
    spent_usd: z.number().meta({
      description:
        'US dollars that the team has spent this month. The embedding model counts, too. Models ' +
        'without prices do not.',
    }),
    month: z.string().meta({ description: 'The month, in UTC, as YYYY-MM.' }),
  })
  .meta({
    id: 'Spending',
    description:
      'The spending limit of a team, and what it has spent this month. When the cap is reached, runs ' +
      'stop with status `budget_exceeded`, and new runs that cost money are refused.',
  });
export type Spending = z.infer<typeof Spending>;

export const JobsSetting = z
  .strictObject({
    running_jobs_per_user: z.int().min(1).max(100).meta({
      description: 'How many jobs of each user run at once. Further jobs wait as `pending`, first come, first served.',
    }),
  })
  .meta({ id: 'JobsSetting', description: 'How many jobs a team runs at once.' });
export type JobsSetting = z.infer<typeof JobsSetting>;

export const CacheInput = z
  .strictObject({
    lifetime_days: z
      .int()
      .min(0)
      .max(3650)
      .meta({ description: 'How many days a stored reply answers the same request again. 0 turns this off.' }),
  })
  .meta({ id: 'CacheInput', description: 'How long stored replies are used.' });
export type CacheInput = z.infer<typeof CacheInput>;

export const CacheSetting = CacheInput.extend({
  entries: z.int().meta({ description: 'How many replies are stored.' }),
  bytes: z.int().meta({ description: 'The compressed size of the stored replies, in bytes.' }),
}).meta({ id: 'CacheSetting', description: 'How long stored replies are used, and how many there are.' });
export type CacheSetting = z.infer<typeof CacheSetting>;
