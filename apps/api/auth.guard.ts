import { Inject, Injectable, NotFoundException, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from '#lib/contracts/problem';
import { ROLES, type Role } from '#lib/contracts/team';
import type { Pool } from '#lib/db/pool';
import { findCaller, type Caller } from '#lib/db/teams';
import { NEEDS, OPEN, type CallerRequest } from './route.js';

/** A revoked token stops working within this time. */
const REMEMBER_MS = 3000;

/** Finds out who asks before a byte of the body is read: who has no token makes the API keep and parse nothing. */
export function checkTokens(fastify: FastifyInstance, pool: Pool): void {
  const known = new Map<string, { caller: Caller; untilMs: number }>();
  fastify.addHook('onRequest', async (request: CallerRequest) => {
    if (request.is404) throw new NotFoundException(`Cannot ${request.method} ${request.url}`);
    if (!request.routeOptions.url?.startsWith('/api/')) return;
    const secret = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (!secret) throw askForToken();
    const remembered = known.get(secret);
    if (remembered && remembered.untilMs > Date.now()) {
      request.caller = remembered.caller;
      return;
    }
    request.caller = await findCaller(pool, secret);
    if (!request.caller) {
      known.delete(secret);
      throw new ProblemError(401, 'The token is unknown, revoked or expired.');
    }
    if (known.size > 1000) known.clear();
    known.set(secret, { caller: request.caller, untilMs: Date.now() + REMEMBER_MS });
  });
}

const askForToken = (): ProblemError => new ProblemError(401, 'Send your token as "Authorization: Bearer <token>".');

/** Lets a caller do what their role may. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(@Inject(Reflector) readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const marks = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean>(OPEN, marks)) return true;
    const request = context.switchToHttp().getRequest<CallerRequest>();
    if (!request.caller) throw askForToken();
    const needed = this.reflector.getAllAndOverride<Role>(NEEDS, marks) ?? (request.method === 'GET' ? 'viewer' : 'editor');
    if (ROLES.indexOf(request.caller.role) < ROLES.indexOf(needed)) {
      throw new ProblemError(403, `This needs the role "${needed}"; the token has "${request.caller.role}".`);
    }
    return true;
  }
}
