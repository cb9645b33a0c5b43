import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  CombosQuery,
  ParamTune,
  ParamTuneEstimate,
  ParamTuneInput,
  ParamTuneSubmitted,
  TuneArm,
} from '#lib/param-tune/contract';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import type { Caller } from '#lib/db/catalogue/callers';
import {
  About,
  Answers,
  Changes,
  cursorOf,
  idCursor,
  Me,
  TakesUpTo,
  uuid,
  type Change,
} from '../platform/decorators.js';
import { ParamTuneService } from './param-tunes.service.js';

/** The model and the number of the last arm of a page. */
const CURSOR = /^\d{1,3}\.\d{1,5}$/;

/** Its base has texts like a run. */
const TUNE_BYTES = 2 ** 20;

@Controller('api/tool-eval/param-tune')
export class ParamTunesController {
  constructor(readonly service: ParamTuneService) {}

  @Post()
  @TakesUpTo(TUNE_BYTES, ParamTuneInput)
  @About(
    'Tune parameters',
    'Searches, for each model separately, the parameter values with which it calls tools best, and compares them ' +
      'with the base on held-out cases. With an experiment, the winner is run again in it.',
  )
  @Answers(202, ParamTuneSubmitted, 409, 429)
  submit(@Me() caller: Caller, @Body({ schema: ParamTuneInput }) input: ParamTuneInput, @Changes() change: Change) {
    return this.service.submit(caller, input, change);
  }

  @Post('estimate')
  @TakesUpTo(TUNE_BYTES, ParamTuneInput)
  @HttpCode(200)
  @About('Estimate a tune', 'Combinations, requests, money and time. Nothing is run.')
  @Answers(200, ParamTuneEstimate, 429)
  estimate(@Me() caller: Caller, @Body({ schema: ParamTuneInput }) input: ParamTuneInput) {
    return this.service.estimate(caller, input);
  }

  @Get('history')
  @About('List tunes', 'The newest first, without the arms that they recommend.')
  @Answers(200, pageOf(ParamTune))
  list(@Me() caller: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return this.service.list(caller, { limit, cursor: idCursor(cursor) });
  }

  @Get('history/:id')
  @About('Read a tune', 'Its settings, and its recommendation for each model.')
  @Answers(200, ParamTune, 404)
  read(@Me() caller: Caller, @Param('id') id: string) {
    return this.service.read(caller, uuid('parameter tune', id));
  }

  @Get('history/:id/combos')
  @About('List the arms of a tune', 'Every combination of values with its measurements and how far it got.')
  @Answers(200, pageOf(TuneArm), 404)
  combos(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: CombosQuery }) { cursor, ...query }: CombosQuery,
  ) {
    return this.service.combos(caller, uuid('parameter tune', id), { ...query, cursor: cursorOf(cursor, CURSOR) });
  }

  @Delete('history/:id')
  @About(
    'Delete a tune',
    'With the runs that it made, except for the one that it promoted. Answers 409 while it is not finished: cancel ' +
      'it first.',
  )
  @Answers(204, undefined, 404, 409)
  remove(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    return this.service.delete(caller, uuid('parameter tune', id), change);
  }
}
