import { z } from 'zod';

/** Where the suite comes from; a file when it does not say. */
export const importSearch = z.object({ from: z.enum(['example', 'mcp']).optional().catch(undefined) });
