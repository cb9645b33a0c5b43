import { Inject, Injectable } from '@nestjs/common';
import type {
  Experiment,
  ExperimentInput,
  ExperimentsQuery,
  ExperimentUpdate,
  RunBestInput,
  RunBestSubmitted,
  TimelineEntry,
} from '#lib/contracts/experiment';
import type { Page, PageQuery } from '#lib/contracts/page';
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { ExperimentRepository } from '#lib/db/catalogue/experiments';
import { takeBaseline } from '#lib/db/catalogue/take-baseline';
import type { Pool, PoolClient } from '#lib/db/connection/pool';
import { deleteExperiment, pinBaseline } from '#lib/db/engine/experiments';
import { ExperimentRunRepository } from '#lib/db/read/experiment-runs';
import type { Change } from '../platform/decorators.js';
import { POOL } from '../platform/stores.js';
import { refuseArchived } from '../runs/check-experiment.js';
import { findSuite } from '../runs/find-suite.js';
import { forgetDeletedVersion } from '../runs/resolve-prompt.js';
import { RunService } from '../runs/runs.service.js';
import { replaceSettings, settingsOf } from '../runs/settings-of-run.js';
import { describeExperiments } from './describe-experiments.js';
import { readTimeline } from './timeline.js';

/** Groups of related runs, compared with a baseline. Workers make the comparisons when runs end. */
@Injectable()
export class ExperimentService {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly runs: RunService,
  ) {}

  async list({ teamId }: Caller, query: ExperimentsQuery): Promise<Page<Experiment>> {
    const { items, next_cursor } = await new ExperimentRepository(this.pool, teamId).list(query);
    return { items: await describeExperiments(this.pool, teamId, items), next_cursor };
  }

  async create(caller: Caller, input: ExperimentInput, change: Change): Promise<Experiment> {
    await findSuite(this.pool, caller.teamId, input.suite_id);
    return change(async (client) => {
      const id = await new ExperimentRepository(client, caller.teamId).create(input);
      await audit(client, caller, 'experiment.create', id);
      return this.#read(client, caller, id);
    });
  }

  read(caller: Caller, id: string): Promise<Experiment> {
    return this.#read(this.pool, caller, id);
  }

  async update(caller: Caller, id: string, update: ExperimentUpdate, change: Change): Promise<Experiment> {
    return change(async (client) => {
      await new ExperimentRepository(client, caller.teamId).update(id, update);
      await audit(client, caller, 'experiment.update', id);
      return this.#read(client, caller, id);
    });
  }

  delete(caller: Caller, id: string, change: Change): Promise<void> {
    return change(async (client) => {
      if (!(await deleteExperiment(client, caller.teamId, id))) throw notFound('experiment', id);
      await audit(client, caller, 'experiment.delete', id);
    });
  }

  pinBaseline(caller: Caller, id: string, runId: string, change: Change): Promise<Experiment> {
    const { teamId } = caller;
    return change(async (client) => {
      const { suiteId, measure } = await new ExperimentRepository(client, teamId).read(id);
      await takeBaseline(client, teamId, { runId, suiteId, measure, path: '/eval_id' });
      if (!(await pinBaseline(client, teamId, id, runId))) throw notFound('experiment', id);
      await audit(client, caller, 'experiment.baseline', id);
      return this.#read(client, caller, id);
    });
  }

  async timeline({ teamId }: Caller, id: string, page: PageQuery): Promise<Page<TimelineEntry>> {
    return readTimeline(this.pool, teamId, await new ExperimentRepository(this.pool, teamId).read(id), page);
  }

  async runBest(caller: Caller, id: string, replaced: RunBestInput, change: Change): Promise<RunBestSubmitted> {
    const { teamId } = caller;
    const experiment = await new ExperimentRepository(this.pool, teamId).read(id);
    refuseArchived(experiment);
    const { bestId, suiteId } = experiment;
    if (bestId === null) throw noBest(id);
    const best = (await new ExperimentRunRepository(this.pool, teamId).find([bestId])).get(bestId);
    if (!best || best.score === null) throw noBest(id);
    const config = settingsOf(best);
    if (!config)
      throw new ProblemError(
        409,
        `The best run, ${best.id}, is recorded: its replies were made elsewhere and cannot be produced ` +
          'here. Submit a run with POST /api/tool-eval.',
      );
    const used = replaceSettings(await forgetDeletedVersion(this.pool, teamId, config), replaced, 'best run');
    const input = { ...used, suite_id: suiteId, experiment_id: id };
    const withConfig: Change = (work) =>
      change(async (client) => {
        const submitted = await work(client);
        await audit(client, caller, 'experiment.run_best', id);
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
      'at least 80 % of its cases and at most 5 % errored results. ' +
      `GET /api/experiments/${id}/timeline shows its runs.`,
  );
