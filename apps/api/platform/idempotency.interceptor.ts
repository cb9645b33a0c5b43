import { Inject, Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { setTimeout as delay } from 'node:timers/promises';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { parseJson } from '#lib/contracts/json/json';
import { ProblemError } from '#lib/contracts/problem';
import { releaseKey, storeResponse, claimKey, type KeyOwner } from '#lib/db/catalogue/idempotency';
import { inTransaction, type Pool, type PoolClient } from '#lib/db/connection/pool';
import { sha256 } from '#lib/runtime/seal';
import { POOL } from './stores.js';
import { toProblem } from './problem.filter.js';
import type { CallerRequest } from './decorators.js';

const WAIT_MS = 10_000;

/** The same key and body get the same answer for a day, so that a request whose answer was lost can be sent again. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(@Inject(POOL) readonly pool: Pool) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<CallerRequest>();
    if (request.method === 'GET' || !request.caller) return next.handle();
    const key = request.headers['idempotency-key'];
    request.change = (work) => inTransaction(this.pool, work);
    if (key === undefined) return next.handle();
    if (typeof key !== 'string' || key === '' || key.length > 200)
      throw new ProblemError(400, 'An Idempotency-Key has 1 to 200 characters.');
    const owner = { teamId: request.caller.teamId, userId: request.caller.userId, key };
    return from(
      this.#once(owner, request, context.switchToHttp().getResponse<FastifyReply>(), () =>
        lastValueFrom(next.handle(), { defaultValue: undefined }),
      ),
    );
  }

  async #once(
    owner: KeyOwner,
    request: CallerRequest,
    reply: FastifyReply,
    handle: () => Promise<unknown>,
  ): Promise<unknown> {
    const { pool } = this;
    const fingerprint = sha256(`${request.method} ${request.url}\n${JSON.stringify(request.body) ?? ''}`);
    const startedMs = Date.now();
    let taken = await claimKey(pool, owner, fingerprint);
    while (taken.state === 'under-way' && Date.now() - startedMs < WAIT_MS) {
      await delay(100);
      taken = await claimKey(pool, owner, fingerprint);
    }
    if (taken.state === 'under-way')
      throw new ProblemError(
        409,
        'The first request with this Idempotency-Key is still being answered.',
        undefined,
        5000,
      );
    if (taken.state === 'other-request')
      throw new ProblemError(409, 'This Idempotency-Key was used for another request. Take a new one.');
    if (taken.state === 'answered') {
      if (taken.status >= 400) void reply.header('content-type', 'application/problem+json');
      void reply.status(taken.status);
      return taken.response === '' ? undefined : parseJson(taken.response);
    }
    const { claim } = taken;
    const keep = (db: Pool | PoolClient, answer: unknown): Promise<void> =>
      storeResponse(db, claim, reply.statusCode, answer === undefined ? '' : JSON.stringify(withoutSecrets(answer)));
    let kept = false;
    request.change = async (work) => {
      const answer = await inTransaction(pool, async (client) => {
        const made = await work(client);
        await keep(client, made);
        return made;
      });
      kept = true;
      return answer;
    };
    try {
      const answer = await handle();
      if (!kept) await keep(pool, answer);
      return answer;
    } catch (error) {
      const { problem } = toProblem(error);
      // What is to be tried again is not answered yet.
      if (problem.status >= 500 || problem.status === 429 || problem.status === 408) await releaseKey(pool, claim);
      else
        await storeResponse(pool, claim, problem.status, JSON.stringify(problem)).catch((failure: unknown) => {
          if (!(failure instanceof ProblemError)) throw failure;
        });
      throw error;
    }
  }
}

/** A new token's secret is in its first answer and nowhere else. */
function withoutSecrets(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || !('token' in answer)) return answer;
  const { token, ...rest } = answer;
  return typeof token === 'string' ? rest : { ...rest, token: withoutSecrets(token) };
}
