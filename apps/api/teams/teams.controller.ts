import { Body, Controller, Delete, Get, Inject, Param, Post, Query } from '@nestjs/common';
import type { Pool } from '#lib/db/connection/pool';
import type { Prisma } from '#lib/db/connection/prisma';
import { notFound, ProblemError } from '#lib/contracts/problem';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import { Me as MeSchema, NewTeam, NewToken, Team, TeamInput, Token, TokenInput } from '#lib/contracts/team';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { createTeam, listTeams } from '#lib/db/catalogue/teams';
import { TokenRepository } from '#lib/db/catalogue/tokens';
import { POOL, PRISMA } from '../platform/stores.js';
import { About, Answers, Changes, idCursor, Me, Needs, uuid, type Change } from '../platform/decorators.js';

@Controller('api')
export class TeamsController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(PRISMA) readonly prisma: Prisma,
  ) {}

  @Get('me')
  @About('Read who you are', 'The team, the user and the role of the token that is sent.')
  @Answers(200, MeSchema)
  me(@Me() caller: Caller) {
    return {
      team: { id: caller.teamId, name: caller.teamName },
      user: { id: caller.userId, name: caller.userName },
      role: caller.role,
    };
  }

  @Get('tokens')
  @About('List the tokens of the team', 'The newest first, without their secrets.')
  @Needs('owner')
  @Answers(200, pageOf(Token))
  tokens(@Me() caller: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return new TokenRepository(this.pool, caller.teamId).list({ limit, cursor: idCursor(cursor) });
  }

  @Post('tokens')
  @About('Make a token', 'The secret is in this answer and nowhere else.')
  @Needs('owner')
  @Answers(201, NewToken)
  async createToken(@Me() caller: Caller, @Body({ schema: TokenInput }) input: TokenInput, @Changes() change: Change) {
    if (input.expires_at !== null && Date.parse(input.expires_at) <= Date.now()) {
      throw new ProblemError(422, 'A token that has expired already is of no use.', [
        { path: '/expires_at', message: 'must be in the future, or null for a token that does not expire' },
      ]);
    }
    return change(async (client) => {
      const { token, secret } = await new TokenRepository(client, caller.teamId).create(
        input.user ?? caller.userName,
        input,
      );
      await audit(client, caller, 'token.create', token.id);
      return { ...token, token: secret };
    });
  }

  @Delete('tokens/:id')
  @About(
    'Delete a token',
    'It stops being valid within seconds. The last owner token that does not expire cannot be deleted.',
  )
  @Needs('owner')
  @Answers(204, undefined, 404, 409)
  deleteToken(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    return change(async (client) => {
      const outcome = await new TokenRepository(client, caller.teamId).delete(uuid('token', id));
      if (outcome === 'not-found') throw notFound('token', id);
      if (outcome === 'last-owner')
        throw new ProblemError(
          409,
          'It is the last owner token that does not expire: without it nobody could make another. Make one first.',
        );
      await audit(client, caller, 'token.delete', id);
    });
  }

  @Get('teams')
  @About('List teams', 'Your own; owners of the team `default` see all of them.')
  @Answers(200, pageOf(Team))
  teams(@Me() caller: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return listTeams(this.prisma, caller, { limit, cursor: idCursor(cursor) });
  }

  @Post('teams')
  @About('Make a team', 'For owners of the team `default`. The answer has the first owner token of the new team.')
  @Needs('owner')
  @Answers(201, NewTeam, 409)
  async createTeam(
    @Me() caller: Caller,
    @Body({ schema: TeamInput }) input: { name: string },
    @Changes() change: Change,
  ) {
    if (caller.teamName !== 'default') throw new ProblemError(403, 'Teams are made by an owner of the team "default".');
    return change(async (client) => {
      const { team, token, secret } = await createTeam(client, input.name);
      await audit(client, caller, 'team.create', team.id);
      return { ...team, token: { ...token, token: secret } };
    });
  }
}
