import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ProblemError } from '#lib/contracts/problem';
import { ROLES, type Role } from '#lib/contracts/team';
import { findCaller, type Caller } from '#lib/db/teams';
import { Deps } from './deps.js';
import { NEEDS, OPEN, type CallerRequest } from './route.js';

/** A revoked token stops working within this time. */
const REMEMBER_MS = 3000;

@Injectable()
export class AuthGuard implements CanActivate {
  readonly #known = new Map<string, { caller: Caller; untilMs: number }>();

  constructor(@Inject(Deps) readonly deps: Deps, @Inject(Reflector) readonly reflector: Reflector) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const marks = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean>(OPEN, marks)) return true;
    const request = context.switchToHttp().getRequest<CallerRequest>();
    const secret = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (!secret) throw new ProblemError(401, 'Send your token as "Authorization: Bearer <token>".');
    request.caller = await this.#caller(secret);
    const needed = this.reflector.getAllAndOverride<Role>(NEEDS, marks) ?? (request.method === 'GET' ? 'viewer' : 'editor');
    if (ROLES.indexOf(request.caller.role) < ROLES.indexOf(needed)) {
      throw new ProblemError(403, `This needs the role "${needed}"; the token has "${request.caller.role}".`);
    }
    return true;
  }

  async #caller(secret: string): Promise<Caller> {
    const known = this.#known.get(secret);
    if (known && known.untilMs > Date.now()) return known.caller;
    const caller = await findCaller(this.deps.pool, secret);
    if (!caller) {
      this.#known.delete(secret);
      throw new ProblemError(401, 'The token is unknown, revoked or expired.');
    }
    if (this.#known.size > 1000) this.#known.clear();
    this.#known.set(secret, { caller, untilMs: Date.now() + REMEMBER_MS });
    return caller;
  }
}
