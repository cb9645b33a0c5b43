import { searchOf, text } from '../../address';

/**
 * The address that a user came from, and returns to after signing in. Only addresses of this page: never `//host`,
 * `https:` or a backslash that a browser reads as a slash.
 */
export const backSearch = searchOf({ back: text(4000, /^\/(?![/\\])[^\\]*$/) });
