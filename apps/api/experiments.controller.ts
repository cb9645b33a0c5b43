import { Body, Controller, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { Experiment, ExperimentInput } from '#lib/contracts/experiment';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import { createExperiment, listExperiments, readExperiment } from '#lib/db/experiments';
import type { Caller } from '#lib/db/teams';
import { Deps } from './deps.js';
import { Answers, idCursor, Me, uuid } from './route.js';

@Controller('api/experiments')
export class ExperimentsController {
  constructor(@Inject(Deps) readonly deps: Deps) {}

  @Get()
  @Answers(200, pageOf(Experiment))
  list(@Me() caller: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return listExperiments(this.deps.prisma, caller.teamId, limit, idCursor(cursor));
  }

  @Post()
  @Answers(201, Experiment)
  create(@Me() caller: Caller, @Body({ schema: ExperimentInput }) input: ExperimentInput) {
    return createExperiment(this.deps.prisma, caller.teamId, input);
  }

  @Get(':id')
  @Answers(200, Experiment, 404)
  read(@Me() caller: Caller, @Param('id') id: string) {
    return readExperiment(this.deps.prisma, caller.teamId, uuid('experiment', id));
  }
}
