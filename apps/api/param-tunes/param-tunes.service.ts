import { setImmediate } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import type { Page, PageQuery } from '#lib/contracts/page';
import type { Estimate } from '#lib/contracts/estimate';
import { MAX_ARMS, ParamTuneInput } from '#lib/param-tune/contract';
import type { CombosQuery, ParamTune, ParamTuneEstimate, ParamTuneSubmitted, TuneArm } from '#lib/param-tune/contract';
import { RunInput } from '#lib/contracts/run-input';
import { targetName } from '#lib/contracts/target-name';
import type { Caller } from '#lib/db/catalogue/callers';
import type { Pool } from '#lib/db/connection/pool';
import { storeArms, type NewTuneArm, type StoredTune } from '#lib/param-tune/rows/arms';
import { EstimateRepository } from '#lib/db/read/estimate';
import { ParamTuneRepository } from '#lib/param-tune/rows/param-tunes';
import { readSplitCases } from '#lib/tuning/rows/split-cases';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { expandSpace, type Arm } from '#lib/param-tune/space/arms';
import type { Change } from '../platform/decorators.js';
import { notifyOfJobs } from '../platform/notify-of-jobs.js';
import { POOL, REDIS } from '../platform/stores.js';
import type { ResolvedRun } from '../runs/estimate-run.js';
import { RunService } from '../runs/runs.service.js';
import { SuiteThreads } from '../threads/suite-threads.js';
import { scaleEstimate } from '../tunes/scale-estimate.js';
import { deleteTune, submitTune } from '../tunes/submit-tune.js';
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

const MAX_WAITING_PLANS = 30;

/** Submits and reads parameter tunes. */
@Injectable()
export class ParamTuneService {
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

  async estimate(caller: Caller, input: ParamTuneInput): Promise<ParamTuneEstimate> {
    return (await this.#prepare(caller, input)).estimate;
  }

  async submit(caller: Caller, input: ParamTuneInput, change: Change): Promise<ParamTuneSubmitted> {
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
          notes: plan.notes,
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

  list({ teamId }: Caller, page: PageQuery): Promise<Page<ParamTune>> {
    return new ParamTuneRepository(this.pool, teamId).list(page);
  }

  read({ teamId }: Caller, id: string): Promise<ParamTune> {
    return new ParamTuneRepository(this.pool, teamId).read(id);
  }

  combos({ teamId }: Caller, id: string, query: CombosQuery): Promise<Page<TuneArm>> {
    return new ParamTuneRepository(this.pool, teamId).arms(id, query);
  }

  delete(caller: Caller, id: string, change: Change): Promise<void> {
    return change(async (client) => {
      await new ParamTuneRepository(client, caller.teamId).read(id);
      await deleteTune(client, caller, 'param_tune', id);
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
    const { cost_usd: cost, requests } = run.estimate;
    const costOfRequest = cost === null ? null : cost / Math.max(1, requests);
    const plan = planTune(input, arms, { tuning: tuning.length, heldOut: heldOut.length }, costOfRequest);
    const each = plan.targets.map(({ planned }) => planned.items + plan.further);
    const estimate: ParamTuneEstimate = {
      ...scaleEstimate(run.estimate, each),
      combinations: arms.reduce((sum, of) => sum + of.length, 0),
      distinct: Object.fromEntries(names.map((name, n) => [name, plan.targets[n]!.distinct])),
      notes: plan.notes,
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
      );
    const resolved: NewTuneArm[][] = [];
    for (const [n, of] of expanded.entries()) {
      const model = models[n];
      if (!model) throw notFound('model', names[n]!);
      resolved.push(await resolveArms(n, names[n]!, model, of));
    }
    return resolved;
  }
}

/** Prefixes the paths of errors in the base with `base`. */
function rethrowInBase(error: unknown): never {
  if (!(error instanceof ProblemError) || !error.errors) throw error;
  const inBody = error.errors.map(({ path, message }) => {
    const [, field = ''] = path.split('/');
    return { path: field in ParamTuneInput.shape.base.parse({}) ? `/base${path}` : path, message };
  });
  throw new ProblemError(error.status, error.message, inBody);
}

/**
 * A run of the suite with the base, checked and estimated like any run. It skips the cache, which may have the replies
 * to the base but none of the others.
 */
const runWithBase = ({ suite_id, models, base, timeout_s, budget, experiment_id }: ParamTuneInput): RunInput =>
  RunInput.parse({ suite_id, models, ...base, timeout_s, budget, cache: 'off', experiment_id });
