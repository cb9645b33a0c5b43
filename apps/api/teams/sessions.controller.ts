import { Body, Controller, Delete, Get, Inject, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '#lib/contracts/input/problem';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import { SessionEntry, SessionPatch } from '#lib/contracts/people';
import { SessionInput } from '#lib/contracts/session';
import { Me as MeSchema } from '#lib/contracts/team';
import { findCaller, type Caller } from '#lib/db/catalogue/callers';
import { SESSION_CURSOR, SessionList } from '#lib/db/catalogue/session-list';
import { beginSession, changeTeam, endSession } from '#lib/db/catalogue/sessions';
import type { Pool } from '#lib/db/connection/pool';
import { audit } from '#lib/db/catalogue/audit';
import type { Env } from '#lib/runtime/env';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { CallerLimits } from '../platform/caller-limits.js';
import { refusalOf } from '../platform/refusal.js';
import { cookieOf, credentialOf, noCookie } from '../platform/credentials.js';
import { About, Answers, Changes, cursorOf, Me, Needs, Open, uuid, type Change } from '../platform/decorators.js';
import { factsOf, sourceOf } from '../platform/request-source.js';
import { ENV, POOL } from '../platform/stores.js';
import { meOf } from './me.js';

@Controller('api')
export class SessionsController {
  /** Sessions of a token start one at a time; those that wait must not hold a connection meanwhile. */
  readonly #signIns = new KeyedSemaphore(1, 30, 'Too many sign-ins with this token. Try again in a few seconds.');

  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(ENV) readonly env: Env,
    readonly limits: CallerLimits,
  ) {}

  @Post('session')
  @About(
    'Sign in',
    'For the pages of this server: starts a session with the role of the token. Its cookie, which no script can ' +
      'read, is in the header Set-Cookie. The session ends with the token, after twelve hours without a request, and ' +
      'after seven days; an operator may set other times. A token of a service account starts none.',
  )
  @Open('own-page', 'token')
  @Answers(200, MeSchema)
  async signIn(
    @Body({ schema: SessionInput }) { token }: SessionInput,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { raw } = request;
    const { TOOLMARK_SESSION_IDLE_HOURS: idleHours, TOOLMARK_SESSION_DAYS: days } = this.env;
    const session = await this.#signIns.run(token, () =>
      beginSession(this.pool, token, { idleHours, days }, { ...sourceOf(raw), request: factsOf(request) }),
    );
    if (!session) throw await this.limits.failed(request, () => refusalOf(this.pool, { kind: 'token', secret: token }));
    void reply.header('set-cookie', cookieOf(raw, session.secret, session.expiresAt));
    return meOf(this.pool, session.caller);
  }

  @Put('session')
  @About(
    'Change to another team',
    'For a session of a person who signed in at a provider: the team of requests without the header `toolmark-team`.',
  )
  @Needs('viewer')
  @Answers(200, MeSchema)
  changeTeam(
    @Me() caller: Caller,
    @Body({ schema: SessionPatch }) { team_id: teamId }: SessionPatch,
    @Changes() change: Change,
    @Req() { raw }: FastifyRequest,
  ) {
    return change(async (client) => {
      await changeTeam(client, caller, teamId);
      const there = await findCaller(client, credentialOf(raw, teamId)!);
      // Not where the session was before: the owners of this team need not know that one.
      const change = { after: { team: there!.teamName } };
      await audit(client, { ...there!, request: caller.request }, 'session.update', caller.sessionId!, change);
      return meOf(client, there!);
    });
  }

  @Delete('session')
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

  @Get('sessions')
  @About(
    'List the sessions of the team',
    'The browsers in which members of the team are signed in, the newest first. Of a person in several teams, the ' +
      'session is one for all of them.',
  )
  @Needs('owner')
  @Answers(200, pageOf(SessionEntry))
  sessions(@Me() caller: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return new SessionList(this.pool, caller, 'team').page({ limit, cursor: cursorOf(cursor, SESSION_CURSOR) });
  }

  @Delete('sessions/:id')
  @About('End a session of a member', 'Within seconds, on every server; its live connections are closed.')
  @Needs('owner')
  @Answers(204, undefined, 404)
  endSession(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    const sessionId = uuid('session', id);
    return change((client) => new SessionList(client, caller, 'team').end(sessionId));
  }
}
