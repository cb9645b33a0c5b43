import { flag, searchOf, text } from '../../address';

/**
 * The address that a user came from, and returns to after signing in. Only addresses of this page: never `//host`,
 * `https:` or a backslash that a browser reads as a slash.
 */
const back = text(4000, /^\/(?![/\\])[^\\]*$/);

export const signInSearch = searchOf({ back });

/** The end of a sign-in at a provider. `close`: it was in a window of its own. */
export const signedInSearch = searchOf({ back, close: flag });

/** A window that begins a sign-in at a provider. */
export const windowSearch = searchOf({ provider: text(100) });

/** The code of a command line's login. */
export const deviceSearch = searchOf({ code: text(20, /^[\w-]+$/) });

/** The API takes no longer one. */
const MAX_BACK = 2000;

/** Where a sign-in at a provider ends, to tell the other tabs. */
export function signedInAddress(returnTo = '/'): string {
  if (returnTo.startsWith(SIGNED_IN)) return returnTo;
  const address = `${SIGNED_IN}?${new URLSearchParams({ back: returnTo })}`;
  return address.length <= MAX_BACK ? address : signedInAddress();
}
const SIGNED_IN = '/sign-in/done';
export const CLOSING_ADDRESS = `${SIGNED_IN}?close=true`;
