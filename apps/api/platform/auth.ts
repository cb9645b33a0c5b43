import { NotFoundException } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { ProblemError } from '#lib/contracts/input/problem';
import { ROLES } from '#lib/contracts/values/team';
import { findCaller, type Caller, type Credential } from '#lib/db/catalogue/callers';
import { keepSession } from '#lib/db/catalogue/sessions';
import type { Pool } from '#lib/db/connection/pool';
import { credentialOf } from './credentials.js';
import { routeOptions, type CallerRequest } from './decorators.js';
import { isFromOwnPage } from './own-page.js';

/** How long a revoked token, or a session that has ended, can still read. It cannot change anything. */
const REMEMBER_MS = 3000;
const MAX_REMEMBERED = 1000;
export const MAX_SIGN_IN_BYTES = 1000;
const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const ENDED: Record<Credential['kind'], string> = {
  token: 'The token is unknown, revoked or expired.',
  session: 'The session has ended. Sign in again.',
};
export const refusalOf = (kind: Credential['kind'] = 'token'): string => ENDED[kind];

/**
 * Looks up the caller of each request and checks the role before any of the body is read: the API stores and parses
 * nothing from callers who may not send it. Every route under /api/ needs a token or a session, except the one that
 * creates a session; no other route does.
 */
export function checkTokens(fastify: FastifyInstance, pool: Pool): void {
  const callers = new RememberedCallers(pool);
  fastify.addHook('onRequest', async (request: CallerRequest) => {
    if (request.is404) throw new NotFoundException(`Cannot ${request.method} ${request.url}`);
    if (!request.routeOptions.url?.startsWith('/api/')) return;
    const { needs, signsIn } = routeOptions(request);
    if (signsIn) return checkSignIn(request.raw);
    const credential = credentialOf(request.raw);
    if (!credential)
      throw new ProblemError(
        401,
        'Send your token as "Authorization: Bearer <token>". A session counts only for the pages of this server.',
      );
    const isReading = READING_METHODS.has(request.method);
    const caller = isReading ? await callers.find(credential) : await callers.findAnew(credential);
    const needed = needs ?? (isReading ? 'viewer' : 'editor');
    if (ROLES.indexOf(caller.role) < ROLES.indexOf(needed))
      throw new ProblemError(403, `This needs the role "${needed}"; the ${credential.kind} has "${caller.role}".`).as(
        'role_needed',
        { needed, role: caller.role },
      );
    request.caller = caller;
  });
}

/** Another site must not sign its visitors in as a different user, and no request may send more than a token. */
function checkSignIn(request: IncomingMessage): void {
  if (!isFromOwnPage(request))
    throw new ProblemError(
      403,
      'Only the pages of this server sign in. Send your token as "Authorization: Bearer <token>" with each request. ' +
        'If this is such a page, its proxy must pass on the Host header or send X-Forwarded-Host.',
    );
  if (!(Number(request.headers['content-length']) <= MAX_SIGN_IN_BYTES))
    throw new ProblemError(413, `The body must be {"token": "..."}, with at most ${MAX_SIGN_IN_BYTES} bytes.`);
}

/** Caches the callers of the last seconds, by token and session. */
class RememberedCallers {
  readonly #callers = new Map<string, { caller: Caller; untilMs: number }>();

  constructor(readonly pool: Pool) {}

  async find(credential: Credential): Promise<Caller> {
    const remembered = this.#callers.get(keyOf(credential));
    return remembered && remembered.untilMs > Date.now() ? remembered.caller : this.findAnew(credential);
  }

  /** @throws ProblemError 401 */
  async findAnew(credential: Credential): Promise<Caller> {
    const caller = await findCaller(this.pool, credential);
    if (!caller) {
      this.#callers.delete(keyOf(credential));
      throw new ProblemError(401, refusalOf(credential.kind));
    }
    if (credential.kind === 'session') await keepSession(this.pool, credential.secret);
    if (this.#callers.size > MAX_REMEMBERED) this.#callers.clear();
    this.#callers.set(keyOf(credential), { caller, untilMs: Date.now() + REMEMBER_MS });
    return caller;
  }
}

const keyOf = ({ kind, secret }: Credential): string => `${kind} ${secret}`;
