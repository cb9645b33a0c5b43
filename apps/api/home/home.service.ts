import { Inject, Injectable } from '@nestjs/common';
import type { Concern, Home, HomeSuite } from '#lib/contracts/home';
import type { Run } from '#lib/contracts/run';
import { FIRST_STEPS } from '#lib/contracts/values/kept';
import { UNFINISHED_STATUSES } from '#lib/contracts/values/jobs';
import type { Caller } from '#lib/db/catalogue/callers';
import { KeptViewRepository } from '#lib/db/catalogue/kept-views';
import { SettingsRepository } from '#lib/db/catalogue/settings';
import type { Pool } from '#lib/db/connection/pool';
import { HomeRepository, type LastRun } from '#lib/db/read/home';
import { readAgainst } from '#lib/db/read/run-against';
import { RunRepository } from '#lib/db/read/runs';
import { TrendRepository } from '#lib/db/read/trends';
import type { Redis } from '#lib/runtime/redis';
import { JobService } from '../jobs/jobs.service.js';
import { POOL, REDIS } from '../platform/stores.js';
import { concernOfGate, concernOfRun, isAsGood, isWorse, lanesInTrouble } from './concerns.js';

const MAX_CONCERNS = 50;
const MAX_UNDER_WAY = 20;
const POINTS = 12;

/** Puts together what the first screen shows. All of it is stored already; nothing is computed from results. */
@Injectable()
export class HomeService {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
    readonly jobs: JobService,
  ) {}

  async read(caller: Caller): Promise<Home> {
    const { teamId, userId } = caller;
    const home = new HomeRepository(this.pool, teamId);
    const { shown, more } = await home.suites(userId);
    const suites = await this.#suites(teamId, shown);
    const [worse, gates, lanes, underWay, month, steps, view] = await Promise.all([
      this.#worse(teamId, suites),
      home.gatesToDecide(),
      lanesInTrouble(this, teamId),
      this.#underWay(caller),
      new SettingsRepository(this.pool, teamId).readSpending(),
      home.firstSteps(),
      new KeptViewRepository(this.pool, teamId, userId).read('home'),
    ]);
    return {
      concerns: [...lanes, ...worse, ...gates.map(concernOfGate)].slice(0, MAX_CONCERNS),
      as_good: suites.filter(({ measured }) => measured !== null && isAsGood(measured)).length,
      under_way: underWay,
      suites,
      more_suites: more,
      month,
      first_steps: { hidden: view.hidden.includes(FIRST_STEPS), items: steps },
    };
  }

  async #suites(teamId: string, shown: readonly LastRun[]): Promise<HomeSuite[]> {
    const ids = shown.map(({ suite }) => suite.id);
    const pointsOf = await new TrendRepository(this.pool, teamId).points(ids, POINTS);
    const completed = ids.flatMap((id) => pointsOf(id).at(-1)?.run.id ?? []);
    const newest = shown.flatMap(({ runId }) => runId ?? []);
    const runs = await new RunRepository(this.pool, teamId).readMany([...new Set([...newest, ...completed])]);
    return shown.map(({ suite, runId, simulated }) => {
      const points = pointsOf(suite.id);
      const run = runs.get(runId ?? '');
      const measured = runs.get(points.at(-1)?.run.id ?? '');
      return {
        suite,
        last_run: run ? { ...lastRunOf(run), simulated } : null,
        best: measured?.top ?? null,
        measured: measured ? { id: measured.id, name: measured.name, against: measured.against } : null,
        points,
      };
    });
  }

  /** Suites whose newest run is worse than what it is compared with, with the first of the runs in a row that are. */
  async #worse(teamId: string, suites: readonly HomeSuite[]): Promise<Concern[]> {
    const worse = suites.filter(({ measured }) => measured !== null && isWorse(measured));
    const ids = worse.flatMap(({ points }) => points.map(({ run }) => run.id));
    const against = await readAgainst(this.pool, teamId, ids);
    return worse.map(({ suite, measured, points }) => {
      const inOrder = points.map(({ run }) => ({ ...run, against: against.get(run.id) ?? null }));
      const good = inOrder.findLastIndex((run) => !isWorse(run));
      return concernOfRun(suite, measured!, inOrder[good + 1] ?? measured!);
    });
  }

  async #underWay(caller: Caller): Promise<Home['under_way']> {
    const filter = { status: [...UNFINISHED_STATUSES], orchestrated: false, order: 'queue' as const };
    const { items } = await this.jobs.list(caller, filter, { limit: MAX_UNDER_WAY });
    return items.map((job) => ({
      ...job,
      name: job.name ?? (job.type === 'tool_eval' || job.type === 'rescore' ? job.suite_name : null),
    }));
  }
}

const lastRunOf = ({ id, name, status, created_at, finished_at, actual }: Run) => ({
  ...{ id, name, status, created_at, finished_at },
  cost_usd: actual?.cost_usd ?? null,
});
