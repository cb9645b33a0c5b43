import { Body, Controller, Delete, Get, Param, Patch, Post, Query, Inject } from '@nestjs/common';
import { PageQuery, pageOf, type PageQuery as PageQueryType, type Page } from '#lib/contracts/page';
import { Me as MeSchema, NewTeam, NewToken, Team, TeamInput, Token, TokenInput, TokenPatch } from '#lib/contracts/team';
import { isOperator, type Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, idCursor, Me, Needs, uuid, type Change } from '../platform/decorators.js';
import { meOf } from './me.js';
import { ProblemError } from '#lib/contracts/input/problem';
import { auditWork } from '#lib/db/audit-work';
import { audit } from '#lib/db/catalogue/audit';
import { createTeam, listTeams } from '#lib/db/catalogue/teams';
import { auditedToken, MOST_OF_A_USER, TokenRepository } from '#lib/db/catalogue/tokens';
import type { Pool } from '#lib/db/connection/pool';
import type { Env } from '#lib/runtime/env';
import { ENV, POOL } from '../platform/stores.js';
import { expiryOf } from './token-rules.js';

/** Teams and their tokens. The secret of a token is only in the response that creates it. */
@Controller('api')
export class TeamsController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(ENV) readonly env: Env,
  ) {}

  @Get('me')
  @About('Read who you are', 'The team, the user and the role of your token or session.')
  @Answers(200, MeSchema)
  me(@Me() caller: Caller) {
    return meOf(this.pool, caller);
  }

  @Get('tokens')
  @About('List the tokens of the team', 'The newest first, without their secrets.')
  @Needs('owner')
  @Answers(200, pageOf(Token))
  tokens(@Me() { teamId }: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return new TokenRepository(this.pool, teamId).list({ limit, cursor: idCursor(cursor) });
  }

  @Post('tokens')
  @About('Create a token', 'Only this response contains the secret.')
  @Needs('owner')
  @Answers(201, NewToken)
  async createToken(
    @Me() caller: Caller,
    @Body({ schema: TokenInput }) input: TokenInput,
    @Changes() change: Change,
  ): Promise<NewToken> {
    const { user, ...given } = input;
    const token = {
      ...given,
      expires_at: expiryOf(input.expires_at, this.env.TOOLMARK_TOKEN_DAYS),
      created_by: caller.userId,
    };
    return change(async (client) => {
      const tokens = new TokenRepository(client, caller.teamId);
      const made = await (user === undefined
        ? tokens.createFor(caller.userId, token, MOST_OF_A_USER)
        : tokens.create(user, token));
      if (made.newUserId) await audit(client, caller, 'user.create', made.newUserId, { after: { name: user } });
      await audit(client, caller, 'token.create', made.token.id, { after: auditedToken(made.token) });
      return { ...made.token, token: made.secret };
    });
  }

  @Patch('tokens/:id')
  @About('Change the cap of a token', 'What its runs may cost in a calendar month. It holds for runs under way, too.')
  @Needs('owner')
  @Answers(200, Token, 404, 409)
  changeToken(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: TokenPatch }) { monthly_cap_usd }: TokenPatch,
    @Changes() change: Change,
  ): Promise<Token> {
    const tokenId = uuid('token', id);
    return change(async (client) => {
      const { token, capBefore } = await new TokenRepository(client, caller.teamId).changeCap(tokenId, monthly_cap_usd);
      const before = { monthly_cap_usd: capBefore };
      await audit(client, caller, 'token.update', tokenId, { before, after: { monthly_cap_usd } });
      return token;
    });
  }

  @Delete('tokens/:id')
  @About('Delete a token', 'It becomes invalid within seconds. The last way in for an owner cannot be deleted.')
  @Needs('owner')
  @Answers(204, undefined, 404, 409)
  deleteToken(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    const tokenId = uuid('token', id);
    return change(async (client) => {
      const token = await new TokenRepository(client, caller.teamId).delete(tokenId);
      await audit(client, caller, 'token.delete', tokenId, { before: auditedToken(token) });
    });
  }

  @Get('teams')
  @About('List teams', 'Your own; owners of the team `default` see all of them.')
  @Answers(200, pageOf(Team))
  teams(@Me() caller: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType): Promise<Page<Team>> {
    return listTeams(this.pool, caller, { limit, cursor: idCursor(cursor) });
  }

  @Post('teams')
  @About('Create a team', 'For owners of the team `default`. The response contains its first owner token.')
  @Needs('owner')
  @Answers(201, NewTeam, 409)
  async createTeam(
    @Me() caller: Caller,
    @Body({ schema: TeamInput }) { name }: { name: string },
    @Changes() change: Change,
  ): Promise<Team & { token: NewToken }> {
    if (!isOperator(caller)) throw new ProblemError(403, 'Only owners of the team "default" create teams.');
    return change(async (client) => {
      const { team, token, secret } = await createTeam(client, name);
      const change = { after: { name, first_token: auditedToken(token) } };
      await audit(client, caller, 'team.create', team.id, change);
      await auditWork(client, team.id, 'team.create', team.id, { ...change, cause: 'an owner of the team "default"' });
      return { ...team, token: { ...token, token: secret } };
    });
  }
}

/** A token with its secret. */
type NewToken = Token & { token: string };
