import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import {
  BaselineInput,
  Experiment,
  ExperimentInput,
  ExperimentsQuery,
  ExperimentUpdate,
  RunBestInput,
  RunBestSubmitted,
  TimelineEntry,
} from '#lib/contracts/experiment';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, idCursor, Me, uuid, type Change } from '../platform/decorators.js';
import { ExperimentService } from './experiments.service.js';
import { timelineCursor } from './timeline.js';

@Controller('api/experiments')
export class ExperimentsController {
  constructor(readonly service: ExperimentService) {}

  @Get()
  @About('List experiments', 'The newest first; archived ones only where `status` asks for them.')
  @Answers(200, pageOf(Experiment))
  list(@Me() caller: Caller, @Query({ schema: ExperimentsQuery }) { cursor, ...query }: ExperimentsQuery) {
    return this.service.list(caller, { ...query, cursor: idCursor(cursor) });
  }

  @Post()
  @About(
    'Create an experiment',
    'Runs that name it as `experiment_id` are compared with its baseline: the run that you give, or else the first ' +
      'run of the experiment that completes.',
  )
  @Answers(201, Experiment)
  create(@Me() caller: Caller, @Body({ schema: ExperimentInput }) input: ExperimentInput, @Changes() change: Change) {
    return this.service.create(caller, input, change);
  }

  @Get(':id')
  @About('Read an experiment', 'Its baseline, its best run so far, and what to know before trusting the figures.')
  @Answers(200, Experiment, 404)
  read(@Me() caller: Caller, @Param('id') id: string) {
    return this.service.read(caller, uuid('experiment', id));
  }

  @Put(':id')
  @About(
    'Change an experiment',
    'Its name, its description, or its status. An archived experiment takes no new runs until it is active again. ' +
      'Its margin and measure stay.',
  )
  @Answers(200, Experiment, 404)
  update(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: ExperimentUpdate }) update: ExperimentUpdate,
    @Changes() change: Change,
  ) {
    return this.service.update(caller, uuid('experiment', id), update, change);
  }

  @Delete(':id')
  @About('Delete an experiment', 'Its runs stay, without a link to it and without a delta.')
  @Answers(204, undefined, 404)
  remove(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    return this.service.delete(caller, uuid('experiment', id), change);
  }

  @Put(':id/baseline')
  @About(
    'Pin another baseline',
    'All runs of the experiment are compared again in the background; `refreshing` is true until that is done.',
  )
  @Answers(200, Experiment, 404)
  pinBaseline(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: BaselineInput }) { eval_id: runId }: BaselineInput,
    @Changes() change: Change,
  ) {
    return this.service.pinBaseline(caller, uuid('experiment', id), runId, change);
  }

  @Get(':id/timeline')
  @About('Read the timeline of an experiment', 'Its finished runs, tunes and reports, compared with the baseline.')
  @Answers(200, pageOf(TimelineEntry), 404)
  timeline(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType,
  ) {
    return this.service.timeline(caller, uuid('experiment', id), { limit, cursor: timelineCursor(cursor) });
  }

  @Post(':id/run-best')
  @About(
    'Run the best configuration again',
    'Submits the settings of the best run as a new run of the experiment. Models, samples and budget may be ' +
      'replaced; a model that is left out takes its system prompt with it. Answers 409 while there is no best run.',
  )
  @Answers(202, RunBestSubmitted, 404, 409)
  runBest(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: RunBestInput.nullish() }) input: RunBestInput | null | undefined,
    @Changes() change: Change,
  ) {
    return this.service.runBest(caller, uuid('experiment', id), input ?? {}, change);
  }
}
