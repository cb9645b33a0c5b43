import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Comparing } from '#lib/contracts/comparing';
import { ComparedItem, CompareItemsQuery, CompareQuery, Comparison, Comparisons } from '#lib/contracts/comparison';
import { pageOf } from '#lib/contracts/page';
import { ITEMS_CURSOR } from '#lib/comparison/page-items';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, cursorOf, Me } from '../platform/decorators.js';
import { ComparisonService } from './comparisons.service.js';
import { patienceOf, sendComparison } from './send-comparison.js';

@Controller('api/compare')
export class ComparisonsController {
  constructor(readonly service: ComparisonService) {}

  @Get()
  @About(
    'Compare runs',
    'Case by case, with the uncertainty of each difference. Give `a` (the baseline) and `b` for one comparison, or ' +
      '`runs` for several with the first of them. Only cases that are the same in both runs are compared; ' +
      'prompts, tools, parameters and models may differ. An unfinished run is `not_comparable`.',
  )
  @Answers(200, z.union([Comparison, Comparisons]).meta({ description: 'One comparison, or several.' }), 404, 422, 429)
  @Answers(202, Comparing)
  async compare(
    @Me() caller: Caller,
    @Query({ schema: CompareQuery }) query: CompareQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return sendComparison(await this.service.compare(caller, query, patienceOf(reply, query.wait)), reply);
  }

  @Get('items')
  @About(
    'List the cases of a comparison',
    'The cases that both runs have scored, with both calls and both verdicts in plain sentences. With a filter, a ' +
      'page may hold fewer cases than `limit`, or none: read on until `next_cursor` is null.',
  )
  @Answers(200, pageOf(ComparedItem), 404, 422, 429)
  @Answers(202, Comparing)
  async items(
    @Me() caller: Caller,
    @Query({ schema: CompareItemsQuery }) query: CompareItemsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const asked = { ...query, cursor: cursorOf(query.cursor, ITEMS_CURSOR) };
    return sendComparison(await this.service.items(caller, asked, patienceOf(reply, query.wait)), reply);
  }
}
