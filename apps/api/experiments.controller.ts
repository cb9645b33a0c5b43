import { Body, Controller, Delete, Get, Inject, Param, Post, Put, Query } from '@nestjs/common';
import { Experiment, ExperimentInput } from '#lib/contracts/experiment';
import { ProblemError } from '#lib/contracts/problem';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import { createExperiment, listExperiments, readExperiment } from '#lib/db/experiments';
import { Submitted } from '#lib/contracts/run';
import { audit } from '#lib/db/audit';
import type { Caller } from '#lib/db/teams';
import { namedSuite } from './check-run.js';
import { Deps } from './deps.js';
import { Answers, Changes, idCursor, Me, uuid, type Change } from './route.js';

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
  async create(@Me() caller: Caller, @Body({ schema: ExperimentInput }) input: ExperimentInput, @Changes() change: Change) {
    await namedSuite(this.deps.pool, caller.teamId, input.suite_id);
    return change(async (client) => {
      const made = await createExperiment(client, caller.teamId, input);
      await audit(client, caller, 'experiment.create', made.id);
      return made;
    });
  }

  @Get(':id')
  @Answers(200, Experiment, 404)
  read(@Me() caller: Caller, @Param('id') id: string) {
    return readExperiment(this.deps.prisma, caller.teamId, uuid('experiment', id));
  }

  @Put(':id')
  @Answers(200, Experiment, 404)
  update(@Me() caller: Caller, @Param('id') id: string) {
    return this.#unbuilt(caller, id, 'Changing an experiment');
  }

  @Delete(':id')
  @Answers(204, undefined, 404)
  remove(@Me() caller: Caller, @Param('id') id: string) {
    return this.#unbuilt(caller, id, 'Deleting an experiment');
  }

  @Put(':id/baseline')
  @Answers(200, Experiment, 404)
  pinBaseline(@Me() caller: Caller, @Param('id') id: string) {
    return this.#unbuilt(caller, id, 'Pinning another baseline');
  }

  @Get(':id/timeline')
  @Answers(200, undefined, 404, 422)
  timeline(@Me() caller: Caller, @Param('id') id: string) {
    return this.#unbuilt(caller, id, 'The timeline');
  }

  @Post(':id/run-best')
  @Answers(202, Submitted, 404)
  runBest(@Me() caller: Caller, @Param('id') id: string) {
    return this.#unbuilt(caller, id, 'Running the best configuration');
  }

  async #unbuilt(caller: Caller, id: string, what: string): Promise<never> {
    await readExperiment(this.deps.prisma, caller.teamId, uuid('experiment', id));
    throw new ProblemError(422, `${what} is not built yet. Experiments can be created, listed and read, and runs can name them.`);
  }
}
