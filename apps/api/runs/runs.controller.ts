import { ProblemError } from '#lib/contracts/input/problem';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { PricesQuery } from '#lib/contracts/billing';
import { CancelInput, Job } from '#lib/contracts/job';
import { SamplesInput } from '#lib/gate/contract';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import { Rescore, RescoreInput, RescoreSubmitted } from '#lib/contracts/rescore';
import { Estimate } from '#lib/contracts/estimate';
import { ResumeInput, RunInput, RunLabels } from '#lib/contracts/run-input';
import { Run, RunsQuery, Submitted } from '#lib/contracts/run';
import type { Caller } from '#lib/db/catalogue/callers';
import { JobService } from '../jobs/jobs.service.js';
import { RUN_CURSOR } from '#lib/db/read/run-list';
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
import { RunService } from './runs.service.js';

/** System prompts of many models, and overrides of the suite's texts. */
const RUN_BYTES = 2 ** 20;

@Controller('api/tool-eval')
export class RunsController {
  constructor(
    readonly service: RunService,
    readonly jobs: JobService,
  ) {}

  @Post()
  @TakesUpTo(RUN_BYTES, RunInput)
  @About(
    'Submit a run',
    'Plays the cases of a suite with some models, in the background. It answers as soon as the run ' +
      'is stored, whatever its size.',
  )
  @Answers(202, Submitted)
  submit(@Me() caller: Caller, @Body({ schema: RunInput }) input: RunInput, @Changes() change: Change) {
    return this.service.submit(caller, input, change);
  }

  @Post('cancel')
  @About(
    'Cancel a run by its job',
    'The status changes at once, requests under way are aborted, and settled results stay. Same ' +
      'as `POST /api/jobs/{id}/cancel`.',
  )
  @Answers(202, Job, 409)
  cancelEval(
    @Me() caller: Caller,
    @Body({ schema: CancelInput }) { job_id }: z.infer<typeof CancelInput>,
    @Changes() change: Change,
  ) {
    return this.jobs.cancelNamedInBody(caller, job_id, change);
  }

  @Get('history')
  @About(
    'List runs',
    'The newest first unless `order` asks otherwise, finished or not. Runs that a gate run made, and runs that add ' +
      'samples to others, are left out.',
  )
  @Answers(200, pageOf(Run), 422)
  history(@Me() caller: Caller, @Query({ schema: RunsQuery }) { cursor, ...query }: RunsQuery) {
    if (query.orchestrated && query.order !== 'newest')
      throw new ProblemError(422, 'Runs that gate runs and tunes made are listed by time only.', [
        { path: '/order', message: 'must be "newest" with `orchestrated`' },
      ]);
    return this.service.list(caller, { ...query, cursor: cursorOf(cursor, RUN_CURSOR) });
  }

  @Get('history/:id')
  @About(
    'Read a run',
    'Its progress, its score, and a summary of each finished model. With `prices=current` also what it would ' +
      "cost at today's prices.",
  )
  @Answers(200, Run, 404)
  run(@Me() caller: Caller, @Param('id') id: string, @Query({ schema: PricesQuery }) { prices }: PricesQuery) {
    const runId = uuid('run', id);
    return prices === undefined ? this.service.read(caller, runId) : this.service.readWithPrices(caller, runId);
  }

  @Patch('history/:id')
  @About('Rename a run', 'Changes its name and its note, whatever its status. Nothing else of a run can be changed.')
  @Answers(200, Run, 404)
  label(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: RunLabels }) labels: RunLabels,
    @Changes() change: Change,
  ) {
    return this.service.label(caller, uuid('run', id), labels, change);
  }

  @Delete('history/:id')
  @About('Delete a run', 'With its results and exchanges. Answers 409 until the run is finished: cancel it first.')
  @Answers(204, undefined, 404, 409)
  remove(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    return this.service.delete(caller, uuid('run', id), change);
  }

  @Post('history/:id/samples')
  @About(
    'Add samples to a run',
    'As a run that extends it, with its settings, models and version of the suite. `?extended=true` of comparisons ' +
      'reads them together; the run itself does not change. Answers 409 until the run is finished.',
  )
  @Answers(202, Submitted, 404, 409)
  addSamples(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: SamplesInput }) input: SamplesInput,
    @Changes() change: Change,
  ) {
    return this.service.addSamples(caller, uuid('run', id), input, change);
  }

  @Post('history/:id/rescore')
  @About(
    'Score a run again',
    'Scores the stored replies under other settings, or with another version of the suite; no model is called. The ' +
      'run keeps its own verdicts, and so do its gates and experiments; the rescore has the new ones.',
  )
  @Answers(202, RescoreSubmitted, 404, 409)
  rescore(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: RescoreInput }) input: RescoreInput,
    @Changes() change: Change,
  ) {
    return this.service.rescore(caller, uuid('run', id), input, change);
  }

  @Get('history/:id/rescores')
  @About('List the rescores of a run', 'The newest first.')
  @Answers(200, pageOf(Rescore), 404)
  rescores(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType,
  ) {
    return this.service.listRescores(caller, uuid('run', id), { limit, cursor: idCursor(cursor) });
  }

  @Post('estimate')
  @TakesUpTo(RUN_BYTES, RunInput)
  @About(
    'Estimate a run',
    'Estimates the requests, tokens, money and time of a run, for each model and in all. The body is ' +
      'that of a submit; nothing is run.',
  )
  @Answers(200, Estimate)
  estimate(@Me() caller: Caller, @Body({ schema: RunInput }) input: RunInput) {
    return this.service.estimate(caller, input);
  }

  @Post('history/:id/resume')
  @About(
    'Resume a run',
    'Repeats what errored, and sends what was not sent yet. Scored results stay and are not paid ' +
      'for again. Answers 409 while the run is not finished, or when nothing is left to do.',
  )
  @Answers(202, Submitted, 404, 409)
  resume(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: ResumeInput.nullish() }) input: ResumeInput | null | undefined,
    @Changes() change: Change,
  ) {
    return this.service.resume(caller, uuid('run', id), input ?? {}, change);
  }
}
