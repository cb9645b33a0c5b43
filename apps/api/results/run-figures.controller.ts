import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  Confusion,
  ConfusionQuery,
  Counting,
  DrawnResults,
  DrawQuery,
  FailureGroups,
  FailureGroupsQuery,
  RunCases,
  RunCasesQuery,
  RunFacets,
  ScoringQuery,
} from '#lib/contracts/run-facets';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, cursorOf, Me, uuid } from '../platform/decorators.js';
import { RunFiguresService } from './run-figures.service.js';

const POSITION = /^\d{1,9}$/;
const WHEN =
  'Counted once, when the run or rescore ends, or on the first request if that was in an earlier release: ' +
  'try again after a 202. Answers 409 while the run or the rescore is unfinished.';

/** 202 until the figures are available. */
function answer<Figures extends object>(figures: Figures | Counting, reply: FastifyReply): Figures | Counting {
  if ('status' in figures) void reply.status(202);
  return figures;
}

@Controller('api/tool-eval/history/:id')
export class RunFiguresController {
  constructor(readonly service: RunFiguresService) {}

  @Get('facets')
  @About('Count the results of a run by filter', WHEN)
  @Answers(200, RunFacets, 404, 409, 422)
  @Answers(202, Counting)
  async facets(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: ScoringQuery }) { rescore_id: rescoreId }: ScoringQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return answer(await this.service.facets(caller, { runId: uuid('run', id), rescoreId }), reply);
  }

  @Get('confusion')
  @About(
    'Count expected and called tools',
    `A case that accepts several tools counts in the row of each of them, and of all together. ${WHEN}`,
  )
  @Answers(200, Confusion, 404, 409, 422)
  @Answers(202, Counting)
  async confusion(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: ConfusionQuery }) { target, rescore_id: rescoreId }: ConfusionQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return answer(await this.service.confusion(caller, { runId: uuid('run', id), rescoreId }, target), reply);
  }

  @Get('failures')
  @About('List failure groups', `Results of one error type, expected tool, called tool and argument. ${WHEN}`)
  @Answers(200, FailureGroups, 404, 409, 422)
  @Answers(202, Counting)
  async failures(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: FailureGroupsQuery }) { error_type: errorType, rescore_id: rescoreId }: FailureGroupsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return answer(await this.service.failures(caller, { runId: uuid('run', id), rescoreId }, errorType), reply);
  }

  @Get('failures/:group/draw')
  @About(
    'Sample a failure group',
    'Same seed, same sample. A uniform sample of up to 200 results of each group is kept when they are ' +
      'counted, and all seeds draw from these.',
  )
  @Answers(200, DrawnResults, 404, 409, 422)
  @Answers(202, Counting)
  async draw(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('group') group: string,
    @Query({ schema: DrawQuery }) query: DrawQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { rescore_id: rescoreId, ...drawn } = query;
    return answer(await this.service.draw(caller, { runId: uuid('run', id), rescoreId, group }, drawn), reply);
  }

  @Get('cases')
  @About('List the cases of a run with the scores of each model', `By position. ${WHEN}`)
  @Answers(200, RunCases, 404, 409, 422)
  @Answers(202, Counting)
  async cases(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: RunCasesQuery }) { show, limit, cursor, rescore_id: rescoreId }: RunCasesQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const page = { limit, cursor: cursorOf(cursor, POSITION) };
    return answer(await this.service.cases(caller, { runId: uuid('run', id), rescoreId }, show, page), reply);
  }
}
