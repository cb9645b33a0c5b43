import { z } from 'zod';

/**
 * A header by which a page says that a request is its own, where the browser does not: browsers leave out
 * Sec-Fetch-Site without TLS, and Origin when they read. Another origin cannot send it without asking first.
 */
export const PAGE_HEADER = 'toolmark-page';

export const SessionInput = z
  .strictObject({ token: z.string().min(1).max(500).meta({ description: 'A token of the team, of any role.' }) })
  .meta({ id: 'SessionInput', description: 'What a session begins with.' });
export type SessionInput = z.infer<typeof SessionInput>;
