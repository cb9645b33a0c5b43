import type { IncomingMessage } from 'node:http';
import type { Credential } from '#lib/db/catalogue/callers';
import { TEAM_HEADER } from '#lib/contracts/page-header';
import { UUID } from './decorators.js';
import { isFromOwnPage, isOverTls } from './own-page.js';

export const SESSION_COOKIE = 'toolmark_session';

/**
 * The token of a request; without one, the session of its cookie, if a page of this server sent it.
 * @param team the id of the team that the page shows; by default, the one of its header
 */
export function credentialOf(
  request: IncomingMessage,
  team: unknown = request.headers[TEAM_HEADER],
): Credential | undefined {
  const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token) return { kind: 'token', secret: token };
  const session = sessionOf(request);
  if (session === undefined || !isFromOwnPage(request)) return undefined;
  return { kind: 'session', secret: session, team: teamOf(team) };
}

/** Nobody is in a team that has anything but an id here. */
const teamOf = (team: unknown): string | undefined =>
  team === undefined ? undefined : typeof team === 'string' && UUID.test(team) ? team : NO_TEAM;
const NO_TEAM = '00000000-0000-0000-0000-000000000000';

/**
 * A second cookie with this name comes from a neighbouring site that tries to inject its own session: neither counts.
 */
function sessionOf({ headers }: IncomingMessage): string | undefined {
  const values = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim().split('='))
    .flatMap(([name, value]) => (name === SESSION_COOKIE && value ? [value] : []));
  return values.length === 1 ? values[0] : undefined;
}

/** The Set-Cookie header that gives a browser its session. */
export const cookieOf = (
  request: IncomingMessage,
  secret: string,
  expiresAt: Date,
  isSecure = isOverTls(request),
): string =>
  `${SESSION_COOKIE}=${secret}; Max-Age=${Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1000))}; ` +
  `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;

/** The header that removes it. */
export const noCookie = (request: IncomingMessage): string => cookieOf(request, '', new Date(0));
