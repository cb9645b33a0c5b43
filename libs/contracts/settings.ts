import { z } from 'zod';

/** The embedding model that `semantic` compares with; both null when there is none. */
export const EmbeddingSetting = z
  .strictObject({ provider_key: z.string().min(1).max(63), model_id: z.string().min(1).max(200) })
  .or(z.strictObject({ provider_key: z.null(), model_id: z.null() }))
  .meta({ id: 'EmbeddingSetting' });
export type EmbeddingSetting = z.infer<typeof EmbeddingSetting>;

export const SpendingInput = z.strictObject({ monthly_cap_usd: z.number().nonnegative().nullable() }).meta({ id: 'SpendingInput' });
export type SpendingInput = z.infer<typeof SpendingInput>;

/** US dollars; a month of UTC. The embedding model counts as the others do; models without prices are not counted. */
export const Spending = z.object({ monthly_cap_usd: z.number().nullable(), spent_usd: z.number(), month: z.string() }).meta({ id: 'Spending' });
export type Spending = z.infer<typeof Spending>;

/** How many jobs of each user run at once; further ones wait as `pending`, first come first served. */
export const JobsSetting = z.strictObject({ running_jobs_per_user: z.int().min(1).max(100) }).meta({ id: 'JobsSetting' });
export type JobsSetting = z.infer<typeof JobsSetting>;

export const CacheInput = z.strictObject({ lifetime_days: z.int().min(0).max(3650) }).meta({ id: 'CacheInput' });
export type CacheInput = z.infer<typeof CacheInput>;

/** How long stored replies answer the same request again, how many there are, and how large they are, compressed. */
export const CacheSetting = CacheInput.extend({ entries: z.int(), bytes: z.int() }).meta({ id: 'CacheSetting' });
export type CacheSetting = z.infer<typeof CacheSetting>;
