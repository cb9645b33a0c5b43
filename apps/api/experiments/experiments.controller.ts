import { Body, Controller, Delete, Get, Param, Post, Put, Query, Inject } from '@nestjs/common';
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
import { PageQuery, pageOf, type PageQuery as PageQueryType, type Page } from '#lib/contracts/page';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, idCursor, Me, uuid, type Change } from '../platform/decorators.js';
import { timelineCursor, readTimeline } from './timeline.js';
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import { audit } from '#lib/db/catalogue/audit';
import { ExperimentRepository } from '#lib/db/catalogue/experiments';
import { takeBaseline } from '#lib/db/catalogue/take-baseline';
import type { Pool, PoolClient } from '#lib/db/connection/pool';
import { deleteExperiment, pinBaseline } from '#lib/db/engine/experiments';
import { ExperimentRunRepository } from '#lib/db/read/experiment-runs';
import { POOL } from '../platform/stores.js';
import { refuseArchived } from '../runs/check-experiment.js';
import { findSuite } from '../runs/find-suite.js';
import { forgetDeletedVersion } from '../runs/resolve-prompt.js';
import { RunService } from '../runs/runs.service.js';
import { replaceSettings, settingsOf } from '../runs/settings-of-run.js';
import { describeExperiments } from './describe-experiments.js';

/** Groups of related runs, compared with a baseline. Workers make the comparisons when runs end. */
@Controller('api/experiments')
export class ExperimentsController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly runs: RunService,
  ) {}

  @Get()
  @About('List experiments', 'The newest first; archived ones only where `status` asks for them.')
  @Answers(200, pageOf(Experiment))
  async list(
    @Me() { teamId, userId, limits }: Caller,
    @Query({ schema: ExperimentsQuery }) { cursor, ...query }: ExperimentsQuery,
  ): Promise<Page<Experiment>> {
    const experiments = new ExperimentRepository(this.pool, teamId);
    const page = { ...query, userId, suiteIds: limits.suiteIds, cursor: idCursor(cursor) };
    const { items, next_cursor } = await experiments.list(page);
    return { items: await describeExperiments(this.pool, teamId, items), next_cursor };
  }

  @Post()
  @About(
    'Create an experiment',
    'Runs that name it as `experiment_id` are compared with its baseline: the run that you give, or else the first ' +
      'run of the experiment that completes.',
  )
  @Answers(201, Experiment)
  async create(
    @Me() caller: Caller,
    @Body({ schema: ExperimentInput }) input: ExperimentInput,
    @Changes() change: Change,
  ): Promise<Experiment> {
    await findSuite(this.pool, caller.teamId, input.suite_id);
    return change(async (client) => {
      const id = await new ExperimentRepository(client, caller.teamId).create(input);
      await audit(client, caller, 'experiment.create', id, { after: input });
      return this.#read(client, caller, id);
    });
  }

  @Get(':id')
  @About('Read an experiment', 'Its baseline, its best run so far, and what to know before trusting the figures.')
  @Answers(200, Experiment, 404)
  read(@Me() caller: Caller, @Param('id') id: string): Promise<Experiment> {
    return this.#read(this.pool, caller, uuid('experiment', id));
  }

  @Put(':id')
  @About(
    'Change an experiment',
    'Its name, its description, or its status. An archived experiment takes no new runs until it is active again. ' +
      'Its margin and measure stay.',
  )
  @Answers(200, Experiment, 404)
  async update(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: ExperimentUpdate }) update: ExperimentUpdate,
    @Changes() change: Change,
  ): Promise<Experiment> {
    const experimentId = uuid('experiment', id);
    return change(async (client) => {
      const changed = await new ExperimentRepository(client, caller.teamId).update(experimentId, update);
      await audit(client, caller, 'experiment.update', experimentId, changed);
      return this.#read(client, caller, experimentId);
    });
  }

  @Delete(':id')
  @About('Delete an experiment', 'Its runs stay, without a link to it and without a delta.')
  @Answers(204, undefined, 404)
  remove(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    const experimentId = uuid('experiment', id);
    return change(async (client) => {
      const before = await deleteExperiment(client, caller.teamId, experimentId);
      if (!before) throw notFound('experiment', experimentId);
      await audit(client, caller, 'experiment.delete', experimentId, { before });
    });
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
  ): Promise<Experiment> {
    const experimentId = uuid('experiment', id);
    const { teamId } = caller;
    return change(async (client) => {
      const { suiteId, measure } = await new ExperimentRepository(client, teamId).read(experimentId);
      await takeBaseline(client, teamId, { runId, suiteId, measure, path: '/eval_id' });
      const before = await pinBaseline(client, teamId, experimentId, runId);
      if (!before) throw notFound('experiment', experimentId);
      const after = { eval_id: runId, set_by: 'user' };
      await audit(client, caller, 'experiment.baseline', experimentId, { before, after });
      return this.#read(client, caller, experimentId);
    });
  }

  @Get(':id/timeline')
  @About(
    'Read the timeline of an experiment',
    'Its finished runs, tunes and reports, oldest first, compared with the baseline.',
  )
  @Answers(200, pageOf(TimelineEntry), 404)
  async timeline(
    @Me() { teamId }: Caller,
    @Param('id') id: string,
    @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType,
  ): Promise<Page<TimelineEntry>> {
    const experiment = await new ExperimentRepository(this.pool, teamId).read(uuid('experiment', id));
    return readTimeline(this.pool, teamId, experiment, { limit, cursor: timelineCursor(cursor) });
  }

  @Post(':id/run-best')
  @About(
    'Run the best configuration again',
    'Submits the settings of the best run as a new run of the experiment. Models, samples and budget may be ' +
      'replaced; a model that is left out takes its system prompt with it. Answers 409 while there is no best run.',
  )
  @Answers(202, RunBestSubmitted, 404, 409)
  async runBest(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: RunBestInput.nullish() }) replaced: RunBestInput | null | undefined,
    @Changes() change: Change,
  ): Promise<RunBestSubmitted> {
    const experimentId = uuid('experiment', id);
    const { teamId } = caller;
    const experiment = await new ExperimentRepository(this.pool, teamId).read(experimentId);
    refuseArchived(experiment);
    const { bestId, suiteId } = experiment;
    if (bestId === null) throw noBest(experimentId);
    const best = (await new ExperimentRunRepository(this.pool, teamId).find([bestId])).get(bestId);
    if (!best || best.score === null) throw noBest(experimentId);
    const config = settingsOf(best);
    if (!config)
      throw new ProblemError(
        409,
        'The replies of the best run were made elsewhere, so it cannot be run again here. Submit a new run.',
      ).as('replies_recorded', { run_id: best.id });
    const used = replaceSettings(await forgetDeletedVersion(this.pool, teamId, config), replaced ?? {}, 'best run');
    const input = { ...used, suite_id: suiteId, experiment_id: experimentId };
    const withConfig: Change = (work) =>
      change(async (client) => {
        const submitted = await work(client);
        const { eval_id } = submitted as RunBestSubmitted;
        await audit(client, caller, 'experiment.run_best', experimentId, { after: { eval_id, best_eval_id: bestId } });
        return Object.assign({}, submitted, { config_used: used });
      });
    return (await this.runs.submit(caller, input, withConfig)) as RunBestSubmitted;
  }

  async #read(db: Pool | PoolClient, { teamId }: Caller, id: string): Promise<Experiment> {
    const experiment = await new ExperimentRepository(db, teamId).read(id);
    return (await describeExperiments(db, teamId, [experiment]))[0]!;
  }
}

const noBest = (id: string): ProblemError =>
  new ProblemError(
    409,
    'The experiment has no best run yet. A run qualifies when it is completed, has the models of the baseline, ' +
      'at least 80 % of its cases and at most 5 % errored results.',
  ).as('no_best_run', { experiment_id: id });
