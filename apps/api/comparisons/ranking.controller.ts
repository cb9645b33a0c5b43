import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Ranking } from '#lib/contracts/ranking';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Me, uuid } from '../platform/decorators.js';
import { leaveSignal } from '../platform/leave-signal.js';
import { RankingService } from './ranking.service.js';

@Controller('api/tool-eval/history/:id')
export class RankingController {
  constructor(readonly service: RankingService) {}

  @Get('ranking')
  @About(
    'Rank the models of a run',
    'Each with the ranks that its results leave open: two models are told apart where their difference over the ' +
      'cases that both have scored is shown, corrected for the number of pairs. While the run goes on, all ranks are ' +
      'open.',
  )
  @Answers(200, Ranking, 404)
  ranking(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Ranking> {
    return this.service.rank(caller, uuid('run', id), leaveSignal(reply));
  }
}
