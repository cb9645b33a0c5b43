import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import { Me as MeSchema, NewTeam, NewToken, Team, TeamInput, Token, TokenInput } from '#lib/contracts/team';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, idCursor, Me, Needs, uuid, type Change } from '../platform/decorators.js';
import { meOf } from './me.js';
import { TeamService } from './teams.service.js';

@Controller('api')
export class TeamsController {
  constructor(readonly service: TeamService) {}

  @Get('me')
  @About('Read who you are', 'The team, the user and the role of your token or session.')
  @Answers(200, MeSchema)
  me(@Me() caller: Caller) {
    return meOf(caller);
  }

  @Get('tokens')
  @About('List the tokens of the team', 'The newest first, without their secrets.')
  @Needs('owner')
  @Answers(200, pageOf(Token))
  tokens(@Me() caller: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return this.service.listTokens(caller, limit, idCursor(cursor));
  }

  @Post('tokens')
  @About('Create a token', 'Only this response contains the secret.')
  @Needs('owner')
  @Answers(201, NewToken)
  createToken(@Me() caller: Caller, @Body({ schema: TokenInput }) input: TokenInput, @Changes() change: Change) {
    return this.service.createToken(caller, input, change);
  }

  @Delete('tokens/:id')
  @About(
    'Delete a token',
    'It becomes invalid within seconds. The last owner token that does not expire cannot be deleted.',
  )
  @Needs('owner')
  @Answers(204, undefined, 404, 409)
  deleteToken(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change) {
    return this.service.deleteToken(caller, uuid('token', id), change);
  }

  @Get('teams')
  @About('List teams', 'Your own; owners of the team `default` see all of them.')
  @Answers(200, pageOf(Team))
  teams(@Me() caller: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return this.service.list(caller, limit, idCursor(cursor));
  }

  @Post('teams')
  @About('Create a team', 'For owners of the team `default`. The response contains its first owner token.')
  @Needs('owner')
  @Answers(201, NewTeam, 409)
  createTeam(@Me() caller: Caller, @Body({ schema: TeamInput }) { name }: { name: string }, @Changes() change: Change) {
    return this.service.create(caller, name, change);
  }
}
