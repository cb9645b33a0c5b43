import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { notFound } from '#lib/contracts/input/problem';
import {
  CandidateDiffQuery,
  CandidatesQuery,
  PromptCandidate,
  PromptCandidateDetails,
  PromptTune,
  PromptTuneEstimate,
  PromptTuneInput,
  PromptTuneSubmitted,
} from '#lib/prompt-tune/contract';
import { PromptDiff } from '#lib/contracts/prompt-version';
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
import { PromptTuneService } from './prompt-tunes.service.js';

/** The number of the last candidate of a page. */
const CURSOR = /^\d{1,6}$/;

/** Its base has texts like a run. */
const TUNE_BYTES = 2 ** 20;

@Controller('api/tool-eval/prompt-tune')
export class PromptTunesController {
  constructor(readonly service: PromptTuneService) {}

  @Post()
  @TakesUpTo(TUNE_BYTES, PromptTuneInput)
  @About(
    'Tune prompts',
    'A meta model writes better texts: the system prompt, and descriptions of tools and parameters. Each is tried on ' +
      'cases, and the best one is compared with the base on held-out cases. It is kept as a prompt ' +
      'version; the suite does not change. With an experiment, the best text is run again in it.',
  )
  @Answers(202, PromptTuneSubmitted, 409, 429)
  submit(@Me() caller: Caller, @Body({ schema: PromptTuneInput }) input: PromptTuneInput, @Changes() change: Change) {
    return this.service.submit(caller, input, change);
  }

  @Post('estimate')
  @TakesUpTo(TUNE_BYTES, PromptTuneInput)
  @HttpCode(200)
  @About('Estimate a prompt tune', 'Requests, money and time, of the models and of the meta model. Nothing is run.')
  @Answers(200, PromptTuneEstimate, 429)
  estimate(@Me() caller: Caller, @Body({ schema: PromptTuneInput }) input: PromptTuneInput) {
    return this.service.estimate(caller, input);
  }

  @Get('history')
  @About('List prompt tunes', 'The newest first, without their texts.')
  @Answers(200, pageOf(PromptTune))
  list(@Me() caller: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return this.service.list(caller, { limit, cursor: idCursor(cursor) });
  }

  @Get('history/:id')
  @About('Read a prompt tune', 'Its settings, its progress, and its findings.')
  @Answers(200, PromptTune, 404)
  read(@Me() caller: Caller, @Param('id') id: string) {
    return this.service.read(caller, uuid('prompt tune', id));
  }

  @Get('history/:id/candidates')
  @About('List the candidates of a tune', 'All that it tried, and what it rejected and why, in the order of creation.')
  @Answers(200, pageOf(PromptCandidate), 404)
  candidates(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: CandidatesQuery }) { cursor, ...query }: CandidatesQuery,
  ) {
    return this.service.candidates(caller, uuid('prompt tune', id), { ...query, cursor: cursorOf(cursor, CURSOR) });
  }

  @Get('history/:id/candidates/:candidate')
  @About('Read a candidate', 'With all of its texts, and its score for each validation case.')
  @Answers(200, PromptCandidateDetails, 404)
  candidate(@Me() caller: Caller, @Param('id') id: string, @Param('candidate') candidate: string) {
    return this.service.candidate(caller, uuid('prompt tune', id), numberOf(candidate));
  }

  @Get('history/:id/candidates/:candidate/diff')
  @About('Compare candidates', 'What a candidate changed, word by word: against its first parent, or another one.')
  @Answers(200, PromptDiff, 404)
  diff(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('candidate') candidate: string,
    @Query({ schema: CandidateDiffQuery }) { to }: CandidateDiffQuery,
  ) {
    return this.service.diff(caller, uuid('prompt tune', id), numberOf(candidate), to);
  }

  @Delete('history/:id')
  @About(
    'Delete a prompt tune',
    'With the runs that it made, except for the one that it promoted; prompt versions stay. Answers 409 while it is ' +
      'not finished: cancel it first.',
  )
  @Answers(204, undefined, 404, 409)
  remove(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    return this.service.delete(caller, uuid('prompt tune', id), change);
  }
}

function numberOf(candidate: string): number {
  if (!CURSOR.test(candidate)) throw notFound('candidate', candidate);
  return Number(candidate);
}
