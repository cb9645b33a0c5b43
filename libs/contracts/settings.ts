import { z } from 'zod';

/** The embedding model that `semantic` compares with; both null when there is none. */
export const EmbeddingSetting = z
  .strictObject({ provider_key: z.string().min(1).max(63), model_id: z.string().min(1).max(200) })
  .or(z.strictObject({ provider_key: z.null(), model_id: z.null() }))
  .meta({ id: 'EmbeddingSetting' });
export type EmbeddingSetting = z.infer<typeof EmbeddingSetting>;
