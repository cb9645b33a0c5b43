import { z } from 'zod';

/** Whether the case is shown as JSON instead of fields. */
export const caseSearch = z.object({ as: z.enum(['json']).optional().catch(undefined) });
