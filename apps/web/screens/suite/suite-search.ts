import { z } from 'zod';

export const suiteSearch = z.object({
  /** Only cases that hold this text are shown. */
  text: z.string().min(1).max(200).optional().catch(undefined),
});
