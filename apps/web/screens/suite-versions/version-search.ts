import { z } from 'zod';

/** The version that is compared with; the present one, or the one before the present one, when it does not say. */
export const versionSearch = z.object({ with: z.coerce.number().int().min(1).optional().catch(undefined) });
