import { Body, Controller, Delete, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '#lib/contracts/input/problem';
import { SessionInput } from '#lib/contracts/session';
import { Me as MeSchema } from '#lib/contracts/team';
import type { Caller } from '#lib/db/catalogue/callers';
import { beginSession, endSession } from '#lib/db/catalogue/sessions';
import type { Pool } from '#lib/db/connection/pool';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { refusalOf } from '../platform/refusal.js';
import { cookieOf, credentialOf, noCookie } from '../platform/credentials.js';
import { About, Answers, Changes, Me, Needs, Open, type Change } from '../platform/decorators.js';
import { POOL } from '../platform/stores.js';
import { meOf } from './me.js';

@Controller('api/session')
export class SessionsController {
  /** Sessions of a token start one at a time; those that wait must not hold a connection meanwhile. */
  readonly #signIns = new KeyedSemaphore(1, 30, 'Too many sign-ins with this token. Try again in a few seconds.');

  constructor(@Inject(POOL) readonly pool: Pool) {}

  @Post()
  @About(
    'Sign in',
    'For the pages of this server: starts a session with the role of the token. Its cookie, which no script can ' +
      'read, is in the header Set-Cookie. The session ends with the token, after twelve hours without a request, and ' +
      'after seven days.',
  )
  @Open('own-page')
  @Answers(200, MeSchema)
  async signIn(
    @Body({ schema: SessionInput }) { token }: SessionInput,
    @Req() { raw }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const session = await this.#signIns.run(token, () => beginSession(this.pool, token));
    if (!session) throw await refusalOf(this.pool, { kind: 'token', secret: token });
    void reply.header('set-cookie', cookieOf(raw, session.secret, session.expiresAt));
    return meOf(this.pool, session.caller);
  }

  @Delete()
  @About('Sign out', 'Ends the session of the request.')
  @Needs('viewer')
  @Answers(204, undefined, 409)
  async signOut(
    @Me() caller: Caller,
    @Changes() change: Change,
    @Req() { raw }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { kind, secret } = credentialOf(raw)!;
    if (kind === 'token') throw new ProblemError(409, 'This request used a token: there is no session to end.');
    await change((client) => endSession(client, caller, secret));
    void reply.header('set-cookie', noCookie(raw));
  }
}
