import { noted, storeNotes } from '#lib/contracts/note';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Inject } from '@nestjs/common';
import {
  CombosQuery,
  ParamTune,
  ParamTuneEstimate,
  ParamTuneInput,
  ParamTuneSubmitted,
  TuneArm,
  TuneSpace,
  MAX_ARMS,
} from '#lib/param-tune/contract';
import { PageQuery, pageOf, type PageQuery as PageQueryType, type Page } from '#lib/contracts/page';
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
import { setImmediate } from 'node:timers/promises';
import { TuneLabels } from '#lib/tuning/contract';
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import type { Estimate } from '#lib/contracts/estimate';
import { RunInput } from '#lib/contracts/run-input';
import { targetName } from '#lib/contracts/target-name';
import type { Pool } from '#lib/db/connection/pool';
import { storeArms, type NewTuneArm, type StoredTune } from '#lib/param-tune/rows/arms';
import { EstimateRepository } from '#lib/db/read/estimate';
import { ParamTuneRepository } from '#lib/param-tune/rows/param-tunes';
import { readSplitCases } from '#lib/tuning/rows/split-cases';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { expandSpace, type Arm } from '#lib/param-tune/space/arms';
import type { Redis } from '#lib/runtime/redis';
import { notifyOfJobs } from '../platform/notify-of-jobs.js';
import { POOL, REDIS } from '../platform/stores.js';
import type { ResolvedRun } from '../runs/estimate-run.js';
import { RunService } from '../runs/runs.service.js';
import { SuiteThreads } from '../threads/suite-threads.js';
import { scaleEstimate } from '../tunes/scale-estimate.js';
import { deleteTune, labelTune, submitTune } from '../tunes/submit-tune.js';
import { planTune, spacesOf, type TunePlan } from './plan-tune.js';
import { refuseLongSpaces } from './refuse-long-spaces.js';
import { resolveArms } from './resolve-arms.js';

interface Prepared {
  /** With the reply limit of its runs. */
  asked: ParamTuneInput;
  run: ResolvedRun & { estimate: Estimate };
  plan: TunePlan;
  estimate: ParamTuneEstimate;
  tuning: number[];
  heldOut: number[];
}

/** The model and the number of the last arm of a page. */
const CURSOR = /^\d{1,3}\.\d{1,5}$/;

/** Its base has texts like a run. */
const TUNE_BYTES = 2 ** 20;

/** Submits and reads parameter tunes. */
@Controller('api/tool-eval/param-tune')
export class ParamTunesController {
  /** By team. Thousands of combinations are computed, and held in memory until they are stored. */
  readonly #plans = new KeyedSemaphore(
    1,
    MAX_WAITING_PLANS,
    `${MAX_WAITING_PLANS} tunes of this team are waiting to be planned. Try again when some are done.`,
  );

  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
    readonly runs: RunService,
    readonly threads: SuiteThreads,
  ) {}

  @Post()
  @TakesUpTo(TUNE_BYTES, ParamTuneInput)
  @About(
    'Tune parameters',
    'Searches, for each model separately, the parameter values with which it calls tools best, and compares them ' +
      'with the base on held-out cases. With an experiment, the winner is run again in it.',
  )
  @Answers(202, ParamTuneSubmitted, 409, 429)
  async submit(
    @Me() caller: Caller,
    @Body({ schema: ParamTuneInput }) input: ParamTuneInput,
    @Changes() change: Change,
  ): Promise<ParamTuneSubmitted> {
    const { asked, run, plan, tuning, heldOut } = await this.#prepare(caller, input);
    const { suite, targets } = run;
    const submitted = await change((client) =>
      submitTune(client, caller, {
        type: 'param_tune',
        input,
        suite,
        planned: plan.planned,
        stored: (pinned): StoredTune => ({
          asked,
          suite: pinned,
          targets: targets.map((target, n) => {
            const { arms, distinct, planned } = plan.targets[n]!;
            return { target, arms: arms.length, distinct, search: planned.search };
          }),
          tuning,
          heldOut,
          planned: plan.planned,
          ...storeNotes(plan.notes),
        }),
        store: (id) =>
          storeArms(
            client,
            id,
            plan.targets.flatMap(({ arms }) => arms),
          ),
      }),
    );
    notifyOfJobs(this.redis, [submitted.job_id]);
    return submitted;
  }

  @Post('estimate')
  @TakesUpTo(TUNE_BYTES, ParamTuneInput)
  @HttpCode(200)
  @About('Estimate a tune', 'Combinations, requests, money and time. Nothing is run.')
  @Answers(200, ParamTuneEstimate, 429)
  async estimate(@Me() caller: Caller, @Body({ schema: ParamTuneInput }) input: ParamTuneInput) {
    return (await this.#prepare(caller, input)).estimate;
  }

  @Get('history')
  @About('List tunes', 'The newest first, without the arms that they recommend.')
  @Answers(200, pageOf(ParamTune))
  list(@Me() { teamId, limits }: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    const page = { limit, cursor: idCursor(cursor), suiteIds: limits.suiteIds };
    return new ParamTuneRepository(this.pool, teamId).list(page);
  }

  @Get('history/:id')
  @About('Read a tune', 'Its settings, and its recommendation for each model.')
  @Answers(200, ParamTune, 404)
  read(@Me() { teamId }: Caller, @Param('id') id: string): Promise<ParamTune> {
    return new ParamTuneRepository(this.pool, teamId).read(uuid('parameter tune', id));
  }

  @Get('history/:id/combos')
  @About('List the arms of a tune', 'Every combination of values with its measurements and how far it got.')
  @Answers(200, pageOf(TuneArm), 404)
  combos(
    @Me() { teamId }: Caller,
    @Param('id') id: string,
    @Query({ schema: CombosQuery }) { cursor, ...query }: CombosQuery,
  ): Promise<Page<TuneArm>> {
    return new ParamTuneRepository(this.pool, teamId).arms(uuid('parameter tune', id), {
      ...query,
      cursor: cursorOf(cursor, CURSOR),
    });
  }

  @Get('history/:id/space')
  @About('Read all arms of a tune', 'Every arm at once, in columns, without its requests and runs.')
  @Answers(200, TuneSpace, 404)
  space(@Me() { teamId }: Caller, @Param('id') id: string): Promise<TuneSpace> {
    return new ParamTuneRepository(this.pool, teamId).space(uuid('parameter tune', id));
  }

  @Patch('history/:id')
  @About('Rename a tune', 'Changes its name, whatever its status. Nothing else of a tune can be changed.')
  @Answers(200, ParamTune, 404)
  label(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: TuneLabels }) { name }: TuneLabels,
    @Changes() change: Change,
  ): Promise<ParamTune> {
    const tuneId = uuid('parameter tune', id);
    return change(async (client) => {
      const tunes = new ParamTuneRepository(client, caller.teamId);
      await tunes.read(tuneId);
      await labelTune(client, caller, 'param_tune', tuneId, name);
      return tunes.read(tuneId);
    });
  }

  @Delete('history/:id')
  @About(
    'Delete a tune',
    'With the runs that it made, except for the one that it promoted. Answers 409 while it is not finished: cancel ' +
      'it first.',
  )
  @Answers(204, undefined, 404, 409)
  remove(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    const tuneId = uuid('parameter tune', id);
    return change(async (client) => {
      await new ParamTuneRepository(client, caller.teamId).read(tuneId);
      await deleteTune(client, caller, 'param_tune', tuneId);
    });
  }

  /** Everything done before a tune is stored. @throws ProblemError 422, 409 */
  #prepare(caller: Caller, input: ParamTuneInput): Promise<Prepared> {
    return this.#plans.run(caller.teamId, () => this.#plan(caller, input));
  }

  async #plan(caller: Caller, input: ParamTuneInput): Promise<Prepared> {
    refuseLongSpaces(input);
    const { teamId } = caller;
    const run = await this.runs.prepare(caller, runWithBase(input)).catch(rethrowInBase);
    const asked = { ...input, base: { ...input.base, max_tokens: run.input.max_tokens } };
    const names = run.targets.map(targetName);
    const arms = await this.#resolve(teamId, asked, run, names);
    const cases = [await readSplitCases(this.pool, teamId, run.suite.id)] as const;
    const { holdout, mode, seed } = input;
    const by = { holdout, mode, seed };
    const { tuning, heldOut } = await this.threads.run(teamId, { what: 'divide-cases', cases, ...by });
    const { cost_usd: cost, requests, cases: count } = run.estimate;
    const items = Math.max(1, count * names.length);
    const ofItem = { requests: Math.max(1, requests / items), cost: cost === null ? null : cost / items };
    const plan = planTune(input, arms, { tuning: tuning.length, heldOut: heldOut.length }, ofItem);
    const each = plan.targets.map(({ planned }) => planned.items + plan.further);
    const estimate: ParamTuneEstimate = {
      ...scaleEstimate(run.estimate, each),
      combinations: arms.reduce((sum, of) => sum + of.length, 0),
      distinct: Object.fromEntries(names.map((name, n) => [name, plan.targets[n]!.distinct])),
      ...noted(plan.notes),
    };
    return { asked, run, plan, estimate, tuning, heldOut };
  }

  async #resolve(
    teamId: string,
    input: ParamTuneInput,
    { targets }: ResolvedRun,
    names: readonly string[],
  ): Promise<NewTuneArm[][]> {
    const models = await new EstimateRepository(this.pool, teamId).findModels(targets);
    const { system_prompt: _prompt, max_tokens: maxTokens = null, ...base } = input.base;
    const expanded: Arm[][] = [];
    for (const { space, path } of spacesOf(input, names)) {
      await setImmediate();
      expanded.push(expandSpace(space, { ...base, max_tokens: maxTokens }, path, 1 / names.length));
    }
    const count = expanded.reduce((sum, of) => sum + of.length, 0);
    if (count > MAX_ARMS)
      throw new ProblemError(
        422,
        `The models have ${count} combinations in all; the limit of a tune is ${MAX_ARMS}. Tune fewer models at once.`,
        [{ path: '/models', message: `have ${count} combinations in all` }],
      ).as('tune_too_large', { count, limit: MAX_ARMS });
    const resolved: NewTuneArm[][] = [];
    for (const [n, of] of expanded.entries()) {
      const model = models[n];
      if (!model) throw notFound('model', names[n]!);
      resolved.push(await resolveArms(n, names[n]!, model, of));
    }
    return resolved;
  }
}

const MAX_WAITING_PLANS = 30;

/** Prefixes the paths of errors in the base with `base`. */
function rethrowInBase(error: unknown): never {
  if (!(error instanceof ProblemError) || !error.errors) throw error;
  const inBody = error.errors.map(({ path, message }) => {
    const [, field = ''] = path.split('/');
    return { path: field in ParamTuneInput.shape.base.parse({}) ? `/base${path}` : path, message };
  });
  throw error.at(inBody);
}

/**
 * A run of the suite with the base, checked and estimated like any run. It skips the cache, which may have the replies
 * to the base but none of the others.
 */
const runWithBase = ({ suite_id, models, base, timeout_s, budget, experiment_id }: ParamTuneInput): RunInput =>
  RunInput.parse({ suite_id, models, ...base, timeout_s, budget, cache: 'off', experiment_id });
