import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import {
  Judgement,
  JudgementsQuery,
  JudgeInput,
  JudgeReport,
  JudgeSetting,
  JudgeSubmitted,
  ReportsQuery,
} from '#lib/judge/contract';
import { pageOf } from '#lib/contracts/page';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, cursorOf, idCursor, Me, Needs, uuid, type Change } from '../platform/decorators.js';
import { JudgeService } from './judge.service.js';

/** The number of the last judgement of a page. */
const CURSOR = /^\d{1,6}$/;

@Controller('api/judge')
export class JudgeController {
  constructor(readonly service: JudgeService) {}

  @Post()
  @HttpCode(202)
  @About(
    'Have a model judge',
    'A model says of results whether they serve the user, or of two runs whose replies are better. It is not told ' +
      'which model replied, nor how it scored. What it says is kept in a report and changes no score.',
  )
  @Answers(202, JudgeSubmitted, 409)
  submit(@Me() caller: Caller, @Body({ schema: JudgeInput }) input: JudgeInput, @Changes() change: Change) {
    return this.service.submit(caller, input, change);
  }

  @Get('reports')
  @About('List reports of judges', 'The newest first, with the calibration of each judge.')
  @Answers(200, pageOf(JudgeReport))
  list(@Me() caller: Caller, @Query({ schema: ReportsQuery }) { cursor, ...query }: ReportsQuery) {
    return this.service.list(caller, { ...query, cursor: idCursor(cursor) });
  }

  @Get('reports/:id')
  @About('Read a report', 'What a judge says of a run, or of two, by model; so far, where it has not ended.')
  @Answers(200, JudgeReport, 404)
  read(@Me() caller: Caller, @Param('id') id: string) {
    return this.service.read(caller, uuid('report', id));
  }

  @Get('reports/:id/verdicts')
  @About(
    'List the judgements of a report',
    'In the order in which the results were chosen. `agreement` and `expectation_at_fault` find what to look at.',
  )
  @Answers(200, pageOf(Judgement), 404)
  judgements(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: JudgementsQuery }) { cursor, ...query }: JudgementsQuery,
  ) {
    return this.service.judgements(caller, uuid('report', id), { ...query, cursor: cursorOf(cursor, CURSOR) });
  }

  @Post('reports/:id/rerun')
  @HttpCode(202)
  @About(
    'Repeat a report',
    'Makes the next version of it, with the same settings. Judgements that were stored at temperature 0 cost nothing.',
  )
  @Answers(202, JudgeSubmitted, 404, 409)
  rerun(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change) {
    return this.service.rerun(caller, uuid('report', id), change);
  }

  @Delete('reports/:id')
  @About('Delete a report', 'With its requests and judgements. Labels of people stay. Answers 409 while it goes on.')
  @Answers(204, undefined, 404, 409)
  remove(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    return this.service.delete(caller, uuid('report', id), change);
  }
}

@Controller('api/settings/judge')
export class JudgeSettingsController {
  constructor(readonly service: JudgeService) {}

  @Get()
  @About('Read the judge setting', 'The default judge, its instructions, and when it judges runs by itself.')
  @Answers(200, JudgeSetting)
  readJudge(@Me() caller: Caller) {
    return this.service.setting(caller);
  }

  @Put()
  @About('Set the judge', 'The default judge, its instructions, and below which score a run is judged by itself.')
  @Needs('owner')
  @Answers(200, JudgeSetting, 422)
  setJudge(@Me() caller: Caller, @Body({ schema: JudgeSetting }) setting: JudgeSetting, @Changes() change: Change) {
    return this.service.set(caller, setting, change);
  }
}
