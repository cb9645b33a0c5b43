import { z } from 'zod';

/** Only an address of this page: never `//host`, `https:` or a backslash that a browser reads as a slash. */
const ownAddress = z
  .string()
  .max(4000)
  .regex(/^\/(?![/\\])[^\\]*$/)
  .optional()
  .catch(undefined);

/** The address that a user came from, and returns to after signing in. */
export const backSearch = z.object({ back: ownAddress });
