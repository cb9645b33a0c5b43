import { Body, Controller, Delete, Get, Inject, Param, Post, Put, Query } from '@nestjs/common';
import type { Pool } from '#lib/db/connection/pool';
import type { Prisma } from '#lib/db/connection/prisma';
import { Experiment, ExperimentInput } from '#lib/contracts/experiment';
import { ProblemError } from '#lib/contracts/problem';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import { ExperimentRepository } from '#lib/db/catalogue/experiments';
import { Submitted } from '#lib/contracts/run';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { findSuite } from '../runs/find-suite.js';
import { POOL, PRISMA } from '../platform/stores.js';
import { About, Answers, Changes, idCursor, Me, uuid, type Change } from '../platform/decorators.js';

@Controller('api/experiments')
export class ExperimentsController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(PRISMA) readonly prisma: Prisma,
  ) {}

  @Get()
  @About('List experiments', 'The newest first.')
  @Answers(200, pageOf(Experiment))
  list(@Me() caller: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return new ExperimentRepository(this.prisma, caller.teamId).list({ limit, cursor: idCursor(cursor) });
  }

  @Post()
  @About('Make an experiment', 'Runs name it by `experiment_id` and are then compared with its baseline.')
  @Answers(201, Experiment)
  async create(
    @Me() caller: Caller,
    @Body({ schema: ExperimentInput }) input: ExperimentInput,
    @Changes() change: Change,
  ) {
    await findSuite(this.pool, caller.teamId, input.suite_id);
    return change(async (client) => {
      const made = await new ExperimentRepository(this.prisma, caller.teamId).create(client, input);
      await audit(client, caller, 'experiment.create', made.id);
      return made;
    });
  }

  @Get(':id')
  @About('Read an experiment', 'One experiment with its baseline.')
  @Answers(200, Experiment, 404)
  read(@Me() caller: Caller, @Param('id') id: string) {
    return new ExperimentRepository(this.prisma, caller.teamId).read(uuid('experiment', id));
  }

  @Put(':id')
  @About('Change an experiment', 'Not built yet: it answers 422.')
  @Answers(200, Experiment, 404)
  update(@Me() caller: Caller, @Param('id') id: string) {
    return this.#unbuilt(caller, id, 'Changing an experiment');
  }

  @Delete(':id')
  @About('Delete an experiment', 'Not built yet: it answers 422.')
  @Answers(204, undefined, 404)
  remove(@Me() caller: Caller, @Param('id') id: string) {
    return this.#unbuilt(caller, id, 'Deleting an experiment');
  }

  @Put(':id/baseline')
  @About('Pin another baseline', 'Not built yet: it answers 422. Give `baseline_eval_id` when you make the experiment.')
  @Answers(200, Experiment, 404)
  pinBaseline(@Me() caller: Caller, @Param('id') id: string) {
    return this.#unbuilt(caller, id, 'Pinning another baseline');
  }

  @Get(':id/timeline')
  @About('Read the timeline of an experiment', 'Not built yet: it answers 422.')
  @Answers(200, undefined, 404, 422)
  timeline(@Me() caller: Caller, @Param('id') id: string) {
    return this.#unbuilt(caller, id, 'The timeline');
  }

  @Post(':id/run-best')
  @About('Run the best configuration again', 'Not built yet: it answers 422.')
  @Answers(202, Submitted, 404)
  runBest(@Me() caller: Caller, @Param('id') id: string) {
    return this.#unbuilt(caller, id, 'Running the best configuration');
  }

  async #unbuilt(caller: Caller, id: string, what: string): Promise<never> {
    await new ExperimentRepository(this.prisma, caller.teamId).read(uuid('experiment', id));
    throw new ProblemError(
      422,
      `${what} is not built yet. Experiments can be created, listed and read, and runs can name them.`,
    );
  }
}
