import { NotFoundException } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from '#lib/contracts/problem';
import { ROLES } from '#lib/contracts/team';
import type { Pool } from '#lib/db/connection/pool';
import { findCaller, type Caller } from '#lib/db/catalogue/callers';
import type { CallerRequest, RouteNeeds } from './decorators.js';

/** A revoked token still reads for so long, and changes nothing. */
const REMEMBER_MS = 3000;
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Finds out who asks, and whether their role allows it, before a byte of the body is read: who may not send it
 * makes the API keep and parse nothing. Whatever is under /api/ needs a token, every route of it; nothing else
 * does.
 */
export function checkTokens(fastify: FastifyInstance, pool: Pool): void {
  const known = new Map<string, { caller: Caller; untilMs: number }>();
  const callerOf = async (secret: string, reads: boolean): Promise<Caller> => {
    const remembered = known.get(secret);
    if (reads && remembered && remembered.untilMs > Date.now()) return remembered.caller;
    const caller = await findCaller(pool, secret);
    if (!caller) {
      known.delete(secret);
      throw new ProblemError(401, 'The token is unknown, revoked or expired.');
    }
    if (known.size > 1000) known.clear();
    known.set(secret, { caller, untilMs: Date.now() + REMEMBER_MS });
    return caller;
  };
  fastify.addHook('onRequest', async (request: CallerRequest) => {
    if (request.is404) throw new NotFoundException(`Cannot ${request.method} ${request.url}`);
    if (!request.routeOptions.url?.startsWith('/api/')) return;
    const secret = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (!secret) throw new ProblemError(401, 'Send your token as "Authorization: Bearer <token>".');
    const reads = READING.has(request.method);
    const caller = await callerOf(secret, reads);
    const needed = (request.routeOptions.config as RouteNeeds).needs ?? (reads ? 'viewer' : 'editor');
    if (ROLES.indexOf(caller.role) < ROLES.indexOf(needed)) {
      throw new ProblemError(403, `This needs the role "${needed}"; the token has "${caller.role}".`);
    }
    request.caller = caller;
  });
}
