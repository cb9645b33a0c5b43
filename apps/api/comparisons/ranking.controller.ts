import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Comparing, WaitQuery } from '#lib/contracts/comparing';
import { Ranking } from '#lib/contracts/ranking';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Me, uuid } from '../platform/decorators.js';
import { RankingService } from './ranking.service.js';
import { patienceOf, sendComparison } from './send-comparison.js';

@Controller('api/tool-eval/history/:id')
export class RankingController {
  constructor(readonly service: RankingService) {}

  @Get('ranking')
  @About(
    'Rank the models of a run',
    'Each with the ranks that its results leave open: two models are ranked apart where their difference over the ' +
      'cases that both have scored is shown, corrected for the number of pairs. During the run, all ranks are ' +
      'open.',
  )
  @Answers(200, Ranking, 404, 422, 429)
  @Answers(202, Comparing)
  async ranking(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: WaitQuery }) { wait }: WaitQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return sendComparison(await this.service.rank(caller, uuid('run', id), patienceOf(reply, wait)), reply);
  }
}
