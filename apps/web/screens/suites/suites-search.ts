import { z } from 'zod';

/** Only suites whose name holds this text are shown. */
export const suitesSearch = z.object({ name: z.string().min(1).max(200).optional().catch(undefined) });
