import { Controller, Get, Query } from '@nestjs/common';
import { SpendingQuery, SpendingReport } from '#lib/contracts/spending';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Me } from '../platform/decorators.js';
import { SpendingService } from './spending.service.js';

@Controller('api/spending')
export class SpendingController {
  constructor(readonly service: SpendingService) {}

  @Get()
  @About(
    'Read the spending of a period',
    'By day, model, suite and person. Costs count when results settle, so deleted runs and suites are included. The ' +
      'cap and the spending that counts against it are in `/api/settings/spending`.',
  )
  @Answers(200, SpendingReport, 429)
  report(@Me() caller: Caller, @Query({ schema: SpendingQuery }) query: SpendingQuery) {
    return this.service.report(caller, query);
  }
}
