import { NotFoundException } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from '#lib/contracts/input/problem';
import { ROLES } from '#lib/contracts/team';
import { findCaller, type Caller } from '#lib/db/catalogue/callers';
import type { Pool } from '#lib/db/connection/pool';
import { routeOptions, type CallerRequest } from './decorators.js';

/** For so long a revoked token can still read. It can change nothing. */
const REMEMBER_MS = 3000;
const MAX_REMEMBERED = 1000;
const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Looks up the caller of each request and checks the role, before a byte of the body is read: the API stores and
 * parses nothing from those who may not send it. Every route under /api/ needs a token, and no other route does.
 */
export function checkTokens(fastify: FastifyInstance, pool: Pool): void {
  const callers = new RememberedCallers(pool);
  fastify.addHook('onRequest', async (request: CallerRequest) => {
    if (request.is404) throw new NotFoundException(`Cannot ${request.method} ${request.url}`);
    if (!request.routeOptions.url?.startsWith('/api/')) return;
    const secret = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (!secret) throw new ProblemError(401, 'Send your token as "Authorization: Bearer <token>".');
    const isReading = READING_METHODS.has(request.method);
    const caller = isReading ? await callers.find(secret) : await callers.findAnew(secret);
    const needed = routeOptions(request).needs ?? (isReading ? 'viewer' : 'editor');
    if (ROLES.indexOf(caller.role) < ROLES.indexOf(needed))
      throw new ProblemError(403, `This needs the role "${needed}"; the token has "${caller.role}".`);
    request.caller = caller;
  });
}

/** The callers of the last seconds, by their tokens. */
class RememberedCallers {
  readonly #callers = new Map<string, { caller: Caller; untilMs: number }>();

  constructor(readonly pool: Pool) {}

  async find(secret: string): Promise<Caller> {
    const remembered = this.#callers.get(secret);
    return remembered && remembered.untilMs > Date.now() ? remembered.caller : this.findAnew(secret);
  }

  /** @throws ProblemError 401 */
  async findAnew(secret: string): Promise<Caller> {
    const caller = await findCaller(this.pool, secret);
    if (!caller) {
      this.#callers.delete(secret);
      throw new ProblemError(401, 'The token is unknown, revoked or expired.');
    }
    if (this.#callers.size > MAX_REMEMBERED) this.#callers.clear();
    this.#callers.set(secret, { caller, untilMs: Date.now() + REMEMBER_MS });
    return caller;
  }
}
