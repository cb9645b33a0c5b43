import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { JudgeEstimate } from '#lib/contracts/judge-estimate';
import { Judgement, JudgeInput, JudgeReport, JudgeSetting, JudgeSubmitted } from '#lib/judge/contract';
import { JudgementsQuery, ReportsQuery } from '#lib/judge/queries';
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
    'Judge results',
    'A model judges whether results serve the user, or which of two runs has the better replies. It does not see ' +
      'which model replied, nor the score. Its judgements are kept in a report and change no score.',
  )
  @Answers(202, JudgeSubmitted, 409)
  submit(@Me() caller: Caller, @Body({ schema: JudgeInput }) input: JudgeInput, @Changes() change: Change) {
    return this.service.submit(caller, input, change);
  }

  @Post('estimate')
  @About('Estimate a report', 'Its requests, tokens and cost. The body is that of a submit; no model is asked.')
  @Answers(200, JudgeEstimate, 409)
  estimate(@Me() caller: Caller, @Body({ schema: JudgeInput }) input: JudgeInput) {
    return this.service.estimate(caller, input);
  }

  @Get('reports')
  @About('List reports of judges', 'The newest first, with the calibration of each judge.')
  @Answers(200, pageOf(JudgeReport))
  list(@Me() caller: Caller, @Query({ schema: ReportsQuery }) { cursor, ...query }: ReportsQuery) {
    return this.service.list(caller, { ...query, cursor: idCursor(cursor) });
  }

  @Get('reports/:id')
  @About('Read a report', 'The judgements of one run, or of two, by model; partial while the report is unfinished.')
  @Answers(200, JudgeReport, 404)
  read(@Me() caller: Caller, @Param('id') id: string) {
    return this.service.read(caller, uuid('report', id));
  }

  @Get('reports/:id/verdicts')
  @About(
    'List the judgements of a report',
    'In the order in which the results were chosen. `agreement`, `disputed` and `expectation_at_fault` filter what ' +
      'to look at.',
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
    'Creates its next version, with the same settings. Judgements that were stored at temperature 0 cost nothing.',
  )
  @Answers(202, JudgeSubmitted, 404, 409)
  rerun(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change) {
    return this.service.rerun(caller, uuid('report', id), change);
  }

  @Delete('reports/:id')
  @About('Delete a report', 'With its requests and judgements. Labels of people stay. Answers 409 until it has ended.')
  @Answers(204, undefined, 404, 409)
  remove(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    return this.service.delete(caller, uuid('report', id), change);
  }
}

@Controller('api/settings/judge')
export class JudgeSettingsController {
  constructor(readonly service: JudgeService) {}

  @Get()
  @About('Read the judge setting', 'The default judge, its instructions, and when it judges runs automatically.')
  @Answers(200, JudgeSetting)
  readJudge(@Me() caller: Caller) {
    return this.service.setting(caller);
  }

  @Put()
  @About('Set the judge', 'The default judge, its instructions, and the score below which it judges runs.')
  @Needs('owner')
  @Answers(200, JudgeSetting, 422)
  setJudge(@Me() caller: Caller, @Body({ schema: JudgeSetting }) setting: JudgeSetting, @Changes() change: Change) {
    return this.service.set(caller, setting, change);
  }
}
