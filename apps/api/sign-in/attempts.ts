import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import { newId } from '#lib/runtime/ids';
import { UnsealError, type Sealer } from '#lib/runtime/seal';

const PREFIX = 'toolmark_sign_in_';
const LASTS_MS = 10 * 60_000;
/** Pending sign-ins of one browser. Another one replaces the oldest. Each cookie may take 2 KB of the headers. */
const MAX_PENDING = 4;
const MAX_BACK_LENGTH = 1000;

const Attempt = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** The path of the page to open in the end. */
  back: z.string(),
  /** The secret of an invitation. */
  invitation: z.string().optional(),
  untilMs: z.number(),
});
/** A sign-in that has begun. Only the browser has it, sealed in a cookie, so that any replica can finish it. */
export type Attempt = z.infer<typeof Attempt>;

export interface AttemptOptions {
  /** The id of the provider. */
  provider: string;
  /** Whether the page is served by https. */
  isSecure: boolean;
}

/**
 * Begins a sign-in. Its cookies are `Lax`, because `Strict` ones do not come with the navigation from the provider, and
 * have a name of their own, so that two tabs can sign in at once.
 */
export function beginAttempt(
  request: IncomingMessage,
  sealer: Sealer,
  options: AttemptOptions & { back: string | undefined; invitation: string | undefined },
): { attempt: Attempt; cookies: string[] } {
  // Ids of later moments sort after earlier ones.
  const name = PREFIX + newId().replaceAll('-', '');
  const attempt: Attempt = {
    state: `${name.slice(PREFIX.length)}.${randomState()}`,
    nonce: randomNonce(),
    verifier: randomPKCECodeVerifier(),
    back: ownPath(options.back),
    invitation: options.invitation,
    untilMs: Date.now() + LASTS_MS,
  };
  const sealed = sealer.seal(JSON.stringify(attempt), contextOf(options.provider, name));
  const pending = [...new Set(cookiesOf(request).map(([pendingName]) => pendingName))].sort();
  const replaced = pending.slice(0, Math.max(0, pending.length - MAX_PENDING + 1));
  return {
    attempt,
    cookies: [
      ...replaced.map((old) => cookieOf(old, '', 0, options)),
      cookieOf(name, sealed, LASTS_MS / 1000, options),
    ],
  };
}

/** The sign-in that this browser began with this state; undefined if there is none, or it was too long ago. */
export function findAttempt(
  request: IncomingMessage,
  sealer: Sealer,
  { provider, state }: { provider: string; state: unknown },
): Attempt | undefined {
  const name = nameOf(state);
  if (name === undefined) return undefined;
  const values = cookiesOf(request).flatMap(([other, value]) => (other === name ? [value] : []));
  // A second cookie with this name comes from a neighbouring site.
  if (values.length !== 1) return undefined;
  try {
    const attempt = Attempt.parse(JSON.parse(sealer.open(values[0]!, contextOf(provider, name))));
    return attempt.state === state && attempt.untilMs > Date.now() ? attempt : undefined;
  } catch (error) {
    if (error instanceof UnsealError) return undefined;
    throw error;
  }
}

/** The header that removes the cookie of a sign-in. */
export const removeAttempt = ({ state }: Attempt, options: AttemptOptions): string =>
  cookieOf(nameOf(state)!, '', 0, options);

/** A path of the page; anything else becomes its first page. */
export function ownPath(path = '/'): string {
  // Browsers take a backslash for a slash, and leave out tabs and line breaks.
  if (!/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(path) || path.startsWith('/api/')) return '/';
  return path.length <= MAX_BACK_LENGTH ? path : ownPath(path.split('?', 1)[0]!.slice(0, MAX_BACK_LENGTH));
}

function nameOf(state: unknown): string | undefined {
  const id = typeof state === 'string' ? /^([0-9a-f]{32})\.[\w-]{20,100}$/.exec(state)?.[1] : undefined;
  return id && PREFIX + id;
}

const contextOf = (provider: string, name: string): string => `sign-in ${provider} ${name}`;

const cookieOf = (name: string, value: string, seconds: number, { isSecure }: AttemptOptions): string =>
  `${name}=${value}; Max-Age=${seconds}; Path=/api/sign-in; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;

/** The cookies of sign-ins that have begun. */
const cookiesOf = ({ headers }: IncomingMessage): [name: string, value: string][] =>
  (headers.cookie ?? '').split(';').flatMap((pair) => {
    const [name = '', value = ''] = pair.trim().split('=');
    return /^toolmark_sign_in_[0-9a-f]{32}$/.test(name) && value ? [[name, value] as [string, string]] : [];
  });
