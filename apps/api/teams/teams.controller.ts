import { Body, Controller, Delete, Get, Param, Post, Query, Inject } from '@nestjs/common';
import { PageQuery, pageOf, type PageQuery as PageQueryType, type Page } from '#lib/contracts/page';
import { Me as MeSchema, NewTeam, NewToken, Team, TeamInput, Token, TokenInput } from '#lib/contracts/team';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, idCursor, Me, Needs, uuid, type Change } from '../platform/decorators.js';
import { meOf } from './me.js';
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import { audit } from '#lib/db/catalogue/audit';
import { createTeam, listTeams } from '#lib/db/catalogue/teams';
import { TokenRepository } from '#lib/db/catalogue/tokens';
import type { Pool } from '#lib/db/connection/pool';
import type { Env } from '#lib/runtime/env';
import { ENV, POOL } from '../platform/stores.js';

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
    const { user, expires_at = inDays(this.env.TOOLMARK_TOKEN_DAYS), ...more } = input;
    if (expires_at !== null && Date.parse(expires_at) <= Date.now())
      throw new ProblemError(422, 'The token would already be expired.', [
        { path: '/expires_at', message: 'must be in the future, or null for a token that does not expire' },
      ]);
    return change(async (client) => {
      const tokens = new TokenRepository(client, caller.teamId);
      const { token, secret } = await tokens.create(user ?? caller.userName, {
        ...more,
        expires_at,
        created_by: caller.userId,
      });
      await audit(client, caller, 'token.create', token.id);
      return { ...token, token: secret };
    });
  }

  @Delete('tokens/:id')
  @About(
    'Delete a token',
    'It becomes invalid within seconds. The last owner token that does not expire cannot be deleted.',
  )
  @Needs('owner')
  @Answers(204, undefined, 404, 409)
  deleteToken(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    const tokenId = uuid('token', id);
    return change(async (client) => {
      const outcome = await new TokenRepository(client, caller.teamId).delete(tokenId);
      if (outcome === 'not-found') throw notFound('token', tokenId);
      if (outcome === 'last-owner')
        throw new ProblemError(
          409,
          'This is the last owner token that does not expire: nobody could create another. Create one first.',
        ).as('last_owner_token');
      await audit(client, caller, 'token.delete', tokenId);
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
    if (caller.teamName !== 'default') throw new ProblemError(403, 'Only owners of the team "default" create teams.');
    return change(async (client) => {
      const { team, token, secret } = await createTeam(client, name);
      await audit(client, caller, 'team.create', team.id);
      return { ...team, token: { ...token, token: secret } };
    });
  }
}

/** A token with its secret. */
type NewToken = Token & { token: string };

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
