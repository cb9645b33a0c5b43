import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { Experiment, ExperimentInput } from '#lib/contracts/experiment';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import { Submitted } from '#lib/contracts/run';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, idCursor, Me, uuid, type Change } from '../platform/decorators.js';
import { ExperimentService } from './experiments.service.js';

@Controller('api/experiments')
export class ExperimentsController {
  constructor(readonly service: ExperimentService) {}

  @Get()
  @About('List experiments', 'The newest first.')
  @Answers(200, pageOf(Experiment))
  list(@Me() caller: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return this.service.list(caller, { limit, cursor: idCursor(cursor) });
  }

  @Post()
  @About('Make an experiment', 'Runs that name it as `experiment_id` are compared with its baseline.')
  @Answers(201, Experiment)
  create(@Me() caller: Caller, @Body({ schema: ExperimentInput }) input: ExperimentInput, @Changes() change: Change) {
    return this.service.create(caller, input, change);
  }

  @Get(':id')
  @About('Read an experiment', 'One experiment with its baseline.')
  @Answers(200, Experiment, 404)
  read(@Me() caller: Caller, @Param('id') id: string) {
    return this.service.read(caller, uuid('experiment', id));
  }

  @Put(':id')
  @About('Change an experiment', 'Not built yet: it answers 422.')
  @Answers(200, Experiment, 404)
  update(@Me() caller: Caller, @Param('id') id: string) {
    return this.service.refuseUnbuilt(caller, uuid('experiment', id), 'Changing an experiment');
  }

  @Delete(':id')
  @About('Delete an experiment', 'Not built yet: it answers 422.')
  @Answers(204, undefined, 404)
  remove(@Me() caller: Caller, @Param('id') id: string) {
    return this.service.refuseUnbuilt(caller, uuid('experiment', id), 'Deleting an experiment');
  }

  @Put(':id/baseline')
  @About('Pin another baseline', 'Not built yet: it answers 422. Give `baseline_eval_id` when you make the experiment.')
  @Answers(200, Experiment, 404)
  pinBaseline(@Me() caller: Caller, @Param('id') id: string) {
    return this.service.refuseUnbuilt(caller, uuid('experiment', id), 'Pinning another baseline');
  }

  @Get(':id/timeline')
  @About('Read the timeline of an experiment', 'Not built yet: it answers 422.')
  @Answers(200, undefined, 404, 422)
  timeline(@Me() caller: Caller, @Param('id') id: string) {
    return this.service.refuseUnbuilt(caller, uuid('experiment', id), 'The timeline');
  }

  @Post(':id/run-best')
  @About('Run the best configuration again', 'Not built yet: it answers 422.')
  @Answers(202, Submitted, 404)
  runBest(@Me() caller: Caller, @Param('id') id: string) {
    return this.service.refuseUnbuilt(caller, uuid('experiment', id), 'Running the best configuration');
  }
}
