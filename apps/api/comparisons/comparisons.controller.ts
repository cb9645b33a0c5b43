import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ComparedItem, CompareItemsQuery, CompareQuery, Comparison, Comparisons } from '#lib/contracts/comparison';
import { pageOf } from '#lib/contracts/page';
import { ITEMS_CURSOR } from '#lib/comparison/page-items';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, cursorOf, Me } from '../platform/decorators.js';
import { leaveSignal } from '../platform/leave-signal.js';
import { ComparisonService } from './comparisons.service.js';

@Controller('api/compare')
export class ComparisonsController {
  constructor(readonly service: ComparisonService) {}

  @Get()
  @About(
    'Compare runs',
    'Case by case, with the uncertainty of each difference. Give `a` (the baseline) and `b` for one comparison, or ' +
      '`runs` for several with the first of them. Only cases that ask and expect the same in both runs are compared; ' +
      'prompts, tools, parameters and models may differ. A run that still goes on is `not_comparable`.',
  )
  @Answers(200, z.union([Comparison, Comparisons]).meta({ description: 'The comparison, or several.' }), 404, 422)
  compare(
    @Me() caller: Caller,
    @Query({ schema: CompareQuery }) query: CompareQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Comparison | Comparisons> {
    return this.service.compare(caller, query, leaveSignal(reply));
  }

  @Get('items')
  @About(
    'List the cases of a comparison',
    'The cases that both runs have scored, with both calls and both verdicts in plain sentences. With a filter, a ' +
      'page may hold fewer cases than `limit`, or none: read on until `next_cursor` is null.',
  )
  @Answers(200, pageOf(ComparedItem), 404, 422)
  items(@Me() caller: Caller, @Query({ schema: CompareItemsQuery }) query: CompareItemsQuery) {
    return this.service.items(caller, { ...query, cursor: cursorOf(query.cursor, ITEMS_CURSOR) });
  }
}
