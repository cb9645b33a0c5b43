import { NotFoundException } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { ProblemError } from '#lib/contracts/input/problem';
import { ROLES } from '#lib/contracts/values/team';
import { findCaller, type Caller, type Credential } from '#lib/db/catalogue/callers';
import { keepSession } from '#lib/db/catalogue/sessions';
import type { Pool } from '#lib/db/connection/pool';
import { credentialOf } from './credentials.js';
import { routeOptions, type CallerRequest, type OpenTo } from './decorators.js';
import { isFromOwnPage } from './own-page.js';
import { refusalOf } from './refusal.js';
import { factsOf, sourceOf } from './request-source.js';
import { checkReading, refuseLimits } from './token-limits.js';
import { TokenUses } from './token-uses.js';
import { sizeName } from './upload.js';

/** How long a revoked token, or a session that has ended, can still read. It cannot change anything. */
const REMEMBER_MS = 3000;
const MAX_REMEMBERED = 1000;
export const MAX_OPEN_BYTES = 8 * 1024;
const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Looks up the caller of each request and checks the role before any of the body is read: the API stores and parses
 * nothing from callers who may not send it. Every route under /api/ needs a token or a session, except those
 * that are open because they lead to one; no other route does.
 */
export function checkTokens(fastify: FastifyInstance, pool: Pool): void {
  const callers = new RememberedCallers(pool);
  fastify.addHook('onRequest', async (request: CallerRequest) => {
    if (request.is404) throw new NotFoundException(`Cannot ${request.method} ${request.url}`);
    if (!request.routeOptions.url?.startsWith('/api/')) return;
    const { needs, open } = routeOptions(request);
    if (open) return checkOpen(request.raw, open);
    const credential = credentialOf(request.raw);
    if (!credential)
      throw new ProblemError(
        401,
        'Send your token as "Authorization: Bearer <token>". A session counts only for the pages of this server.',
      );
    const isReading = READING_METHODS.has(request.method);
    const caller = await (isReading
      ? callers.find(credential, request.raw)
      : callers.findAnew(credential, request.raw));
    // Also of a request that is refused below: the audit says who it was.
    request.caller = { ...caller, request: factsOf(request) };
    const needed = needs ?? (isReading ? 'viewer' : 'editor');
    if (ROLES.indexOf(caller.role) < ROLES.indexOf(needed))
      throw new ProblemError(403, `This needs the role "${needed}"; the ${credential.kind} has "${caller.role}".`).as(
        'role_needed',
        { needed, role: caller.role },
      );
    checkReading(request, caller, needed);
    if (needed === 'owner' && !isReading) refuseLimits(caller);
  });
}

/** Another site must not sign its visitors in as a different user, and nobody may send much without a token. */
function checkOpen(request: IncomingMessage, to: OpenTo): void {
  if (to === 'own-page' && !isFromOwnPage(request))
    throw new ProblemError(
      403,
      'Only the pages of this server sign in. Send your token as "Authorization: Bearer <token>" with each request. ' +
        'If this is such a page, its proxy must pass on the Host header or send X-Forwarded-Host.',
    );
  const { 'content-length': bytes = '0', 'transfer-encoding': isChunked } = request.headers;
  if (isChunked !== undefined || !(Number(bytes) <= MAX_OPEN_BYTES))
    throw new ProblemError(
      413,
      `Without a token, the body may have at most ${sizeName(MAX_OPEN_BYTES)}, which Content-Length announces.`,
    );
}

/** Caches the callers of the last seconds, by token and session. */
class RememberedCallers {
  readonly #callers = new Map<string, { caller: Caller; untilMs: number }>();

  readonly #tokenUses: TokenUses;

  constructor(readonly pool: Pool) {
    this.#tokenUses = new TokenUses(pool);
  }

  async find(credential: Credential, request: IncomingMessage): Promise<Caller> {
    const remembered = this.#callers.get(keyOf(credential));
    return remembered && remembered.untilMs > Date.now() ? remembered.caller : this.findAnew(credential, request);
  }

  /** @throws ProblemError 401, or 403 for a team that the user is not in */
  async findAnew(credential: Credential, request: IncomingMessage): Promise<Caller> {
    const caller = await findCaller(this.pool, credential);
    if (!caller) {
      this.#callers.delete(keyOf(credential));
      throw await refusalOf(this.pool, credential);
    }
    if (credential.kind === 'session') await keepSession(this.pool, credential.secret, sourceOf(request));
    else this.#tokenUses.note({ tokenId: caller.tokenId!, ...sourceOf(request) });
    if (this.#callers.size > MAX_REMEMBERED) this.#callers.clear();
    this.#callers.set(keyOf(credential), { caller, untilMs: Date.now() + REMEMBER_MS });
    return caller;
  }
}

const keyOf = ({ kind, secret, team = '' }: Credential): string => `${kind} ${team} ${secret}`;
