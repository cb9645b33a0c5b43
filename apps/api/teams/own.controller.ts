import { Body, Controller, Delete, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ProblemError } from '#lib/contracts/input/problem';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import { InvitationSecret, OwnTeam, SessionEntry } from '#lib/contracts/people';
import { NewToken, OwnTokenInput, Token } from '#lib/contracts/team';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { redeemInvitation } from '#lib/db/catalogue/invitations';
import { SESSION_CURSOR, SessionList } from '#lib/db/catalogue/session-list';
import { listOwnTeams } from '#lib/db/catalogue/teams';
import { auditedToken, TokenRepository } from '#lib/db/catalogue/tokens';
import { nameOfPerson } from '#lib/db/catalogue/users';
import type { Pool } from '#lib/db/connection/pool';
import type { Env } from '#lib/runtime/env';
import { noCookie } from '../platform/credentials.js';
import { About, Answers, Changes, cursorOf, idCursor, Me, Needs, uuid, type Change } from '../platform/decorators.js';
import { ENV, POOL } from '../platform/stores.js';
import { refuseLimits } from '../platform/token-limits.js';
import { expiryOf, refuseRolesAbove } from './token-rules.js';

/** What belongs to the person of a request: teams, tokens and sessions. */
@Controller('api/me')
export class OwnController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(ENV) readonly env: Env,
  ) {}

  @Get('teams')
  @About(
    'List your teams',
    'Those that you are in. A token, and a session that began with one, has one team; a session of a sign-in has all ' +
      'of the person, and each request names its team in the header `toolmark-team`.',
  )
  @Answers(200, pageOf(OwnTeam))
  teams(@Me() caller: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return listOwnTeams(this.pool, caller, { limit, cursor: idCursor(cursor) });
  }

  @Post('memberships')
  @About('Join a team', 'With an invitation, for a person who is signed in at a provider already.')
  @Needs('viewer')
  @Answers(201, OwnTeam, 404, 409)
  join(
    @Me() caller: Caller,
    @Body({ schema: InvitationSecret }) { invitation }: InvitationSecret,
    @Changes() change: Change,
  ): Promise<OwnTeam> {
    const { personId } = caller;
    if (caller.kind !== 'session' || caller.tokenId !== null)
      throw new ProblemError(403, 'A token has one team. Sign in at a provider to join another one.');
    return change(async (client) => {
      const name = await nameOfPerson(client, personId);
      const { sessionId, request } = caller;
      const joiner = { secret: invitation, personId, name, by: { sessionId, request } };
      const { teamId, teamName, role } = await redeemInvitation(client, joiner);
      return { id: teamId, name: teamName, role, is_current: teamId === caller.teamId };
    });
  }

  @Get('tokens')
  @About('List your tokens', 'Those that you have in this team, the newest first, without their secrets.')
  @Answers(200, pageOf(Token))
  tokens(@Me() { teamId, userId }: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return new TokenRepository(this.pool, teamId).list({ limit, cursor: idCursor(cursor) }, userId);
  }

  @Post('tokens')
  @About(
    'Create a token for yourself',
    'With your role or a lower one. Only this response contains the secret. Tokens with limits and service accounts ' +
      'cannot do this.',
  )
  @Needs('viewer')
  @Answers(201, NewToken)
  createToken(
    @Me() caller: Caller,
    @Body({ schema: OwnTokenInput }) input: OwnTokenInput,
    @Changes() change: Change,
  ): Promise<z.infer<typeof NewToken>> {
    refuseLimits(caller);
    refuseRolesAbove(caller, input.role);
    if (caller.personKind === 'service')
      throw new ProblemError(403, 'A service account makes no tokens. An owner makes them for it.').as(
        'service_account',
      );
    const expiresAt = expiryOf(input.expires_at, this.env.TOOLMARK_TOKEN_DAYS, caller.tokenExpiresAt);
    return change(async (client) => {
      const { token, secret } = await new TokenRepository(client, caller.teamId).createFor(caller.userId, {
        ...input,
        expires_at: expiresAt,
        created_by: caller.userId,
      });
      await audit(client, caller, 'token.create', token.id, { after: auditedToken(token) });
      return { ...token, token: secret };
    });
  }

  @Delete('tokens/:id')
  @About(
    'Delete one of your tokens',
    'It becomes invalid within seconds, with the sessions that began with it. A token deletes none of a higher role, ' +
      'and none at all if it has limits.',
  )
  @Needs('viewer')
  @Answers(204, undefined, 404, 409)
  deleteToken(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    const tokenId = uuid('token', id);
    // One with a cap would lift it from its runs.
    refuseLimits(caller);
    return change(async (client) => {
      const token = await new TokenRepository(client, caller.teamId).delete(tokenId, caller);
      await audit(client, caller, 'token.delete', tokenId, { before: auditedToken(token) });
    });
  }

  @Get('sessions')
  @About(
    'List your sessions',
    'The browsers that are signed in as you, the newest first. With a token, or in a session that began with one: ' +
      'only those that began with your tokens in this team.',
  )
  @Answers(200, pageOf(SessionEntry))
  sessions(@Me() caller: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return new SessionList(this.pool, caller, 'own').page({ limit, cursor: cursorOf(cursor, SESSION_CURSOR) });
  }

  @Delete('sessions/:id')
  @About('End one of your sessions', 'Within seconds, on every server; its live connections are closed.')
  @Needs('viewer')
  @Answers(204, undefined, 404)
  async endSession(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Changes() change: Change,
    @Req() { raw }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const sessionId = uuid('session', id);
    await change((client) => new SessionList(client, caller, 'own').end(sessionId));
    if (sessionId === caller.sessionId) void reply.header('set-cookie', noCookie(raw));
  }
}
