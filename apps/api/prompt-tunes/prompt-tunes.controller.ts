import { noted, storeNotes } from '#lib/contracts/note';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Inject } from '@nestjs/common';
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import {
  CandidateDiffQuery,
  CandidatesQuery,
  PromptCandidate,
  PromptCandidateDetails,
  PromptTune,
  PromptTuneEstimate,
  PromptTuneInput,
  PromptTuneSubmitted,
} from '#lib/prompt-tune/contract';
import { PromptDiff } from '#lib/contracts/prompt-version';
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
import { TuneLabels } from '#lib/tuning/contract';
import type { Estimate, EstimateRange } from '#lib/contracts/estimate';
import { findReservedParams } from '#lib/contracts/params';
import { findComponentsFault } from '#lib/contracts/prompt';
import { componentsOf } from '#lib/contracts/prompt-components';
import { RunInput } from '#lib/contracts/run-input';
import type { Pool } from '#lib/db/connection/pool';
import type { StoredPromptTune } from '#lib/prompt-tune/rows/stored-search';
import type { ResolvedTarget } from '#lib/db/engine/submit-run';
import { EstimateRepository } from '#lib/db/read/estimate';
import { PromptTuneRepository } from '#lib/prompt-tune/rows/prompt-tunes';
import { readSplitCases } from '#lib/tuning/rows/split-cases';
import { chooseComponents } from '#lib/prompt-tune/choose-components';
import type { Roles } from '#lib/prompt-tune/split-roles';
import type { Redis } from '#lib/runtime/redis';
import { notifyOfJobs } from '../platform/notify-of-jobs.js';
import { POOL, REDIS } from '../platform/stores.js';
import { checkBudget } from '../runs/check-run.js';
import type { ResolvedRun } from '../runs/estimate-run.js';
import { resolveTargets } from '../runs/resolve-targets.js';
import { RunService } from '../runs/runs.service.js';
import { SuiteThreads } from '../threads/suite-threads.js';
import { scaleEstimate } from '../tunes/scale-estimate.js';
import { deleteTune, labelTune, submitTune } from '../tunes/submit-tune.js';
import { estimateMeta, notesOnReplies, secondsOfRounds } from './estimate-meta.js';
import { planPromptTune, type PromptPlan } from './plan-prompt-tune.js';

/** The number of the last candidate of a page. */
const CURSOR = /^\d{1,6}$/;

/** Its base has texts like a run. */
const TUNE_BYTES = 2 ** 20;

/** Submits and reads prompt tunes. */
@Controller('api/tool-eval/prompt-tune')
export class PromptTunesController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
    readonly runs: RunService,
    readonly suiteThreads: SuiteThreads,
  ) {}

  @Post()
  @TakesUpTo(TUNE_BYTES, PromptTuneInput)
  @About(
    'Tune prompts',
    'A meta model writes better texts: the system prompt, and descriptions of tools and parameters. Each is tried on ' +
      'cases, and the best one is compared with the base on held-out cases. It is kept as a prompt ' +
      'version; the suite does not change. With an experiment, the best text is run again in it.',
  )
  @Answers(202, PromptTuneSubmitted, 409, 429)
  async submit(
    @Me() caller: Caller,
    @Body({ schema: PromptTuneInput }) input: PromptTuneInput,
    @Changes() change: Change,
  ): Promise<PromptTuneSubmitted> {
    const { run, meta, texts, roles, plan } = await this.#prepare(caller, input);
    const { suite, targets } = run;
    const asked = { ...input, max_tokens: run.input.max_tokens };
    const planned = plan.itemsPerModel * targets.length + plan.asks;
    const submitted = await change((client) =>
      submitTune(client, caller, {
        type: 'prompt_tune',
        input,
        suite,
        planned,
        stored: (pinned): StoredPromptTune => ({
          asked,
          suite: pinned,
          targets,
          meta,
          ...texts,
          ...roles,
          maxEvaluations: plan.maxEvaluations,
          planned,
          ...storeNotes(plan.notes),
        }),
      }),
    );
    notifyOfJobs(this.redis, [submitted.job_id]);
    return submitted;
  }

  @Post('estimate')
  @TakesUpTo(TUNE_BYTES, PromptTuneInput)
  @HttpCode(200)
  @About('Estimate a prompt tune', 'Requests, money and time, of the models and of the meta model. Nothing is run.')
  @Answers(200, PromptTuneEstimate, 429)
  async estimate(
    @Me() caller: Caller,
    @Body({ schema: PromptTuneInput }) input: PromptTuneInput,
  ): Promise<PromptTuneEstimate> {
    const { run, meta, texts, plan } = await this.#prepare(caller, input);
    const ofRuns = scaleEstimate(
      run.estimate,
      run.targets.map(() => plan.itemsPerModel),
    );
    const repository = new EstimateRepository(this.pool, caller.teamId);
    const [prices] = await repository.findModels([meta]);
    const earlier = await repository.latestTargets([meta, ...run.targets], input.prompt_cache);
    const summaries = earlier.map((target) => target?.summary);
    const ofMeta = estimateMeta(input, plan.asks, texts.base, prices);
    const costs = [ofRuns.cost_usd, ofMeta.cost_usd];
    return {
      ...ofRuns,
      ...(ofRuns.range && { range: rangeWith(ofRuns.range, ofMeta) }),
      requests: ofRuns.requests + plan.asks,
      prompt_tokens: ofRuns.prompt_tokens + ofMeta.prompt_tokens,
      completion_tokens: ofRuns.completion_tokens + ofMeta.completion_tokens,
      duration_s: ofRuns.duration_s + secondsOfRounds(input, plan.asks, summaries),
      cost_usd: costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + cost!, 0),
      components: Object.keys(texts.base),
      meta: ofMeta,
      ...noted(plan.notes),
    };
  }

  @Get('history')
  @About('List prompt tunes', 'The newest first, without their texts.')
  @Answers(200, pageOf(PromptTune))
  list(@Me() { teamId, limits }: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    const page = { limit, cursor: idCursor(cursor), suiteIds: limits.suiteIds };
    return new PromptTuneRepository(this.pool, teamId).list(page);
  }

  @Get('history/:id')
  @About('Read a prompt tune', 'Its settings, its progress, and its findings.')
  @Answers(200, PromptTune, 404)
  read(@Me() { teamId }: Caller, @Param('id') id: string): Promise<PromptTune> {
    return new PromptTuneRepository(this.pool, teamId).read(uuid('prompt tune', id));
  }

  @Get('history/:id/candidates')
  @About('List the candidates of a tune', 'All that it tried, and what it rejected and why, in the order of creation.')
  @Answers(200, pageOf(PromptCandidate), 404)
  candidates(
    @Me() { teamId }: Caller,
    @Param('id') id: string,
    @Query({ schema: CandidatesQuery }) { cursor, ...query }: CandidatesQuery,
  ): Promise<Page<PromptCandidate>> {
    return new PromptTuneRepository(this.pool, teamId).candidates(uuid('prompt tune', id), {
      ...query,
      cursor: cursorOf(cursor, CURSOR),
    });
  }

  @Get('history/:id/candidates/:candidate')
  @About('Read a candidate', 'With all of its texts, and its score for each selection case.')
  @Answers(200, PromptCandidateDetails, 404)
  candidate(@Me() caller: Caller, @Param('id') id: string, @Param('candidate') candidate: string) {
    return this.#candidate(caller, uuid('prompt tune', id), numberOf(candidate));
  }

  /**
   * @param to the candidate to compare with; its first parent by default
   * @throws ProblemError 404
   */
  @Get('history/:id/candidates/:candidate/diff')
  @About('Compare candidates', 'What a candidate changed, word by word: against its first parent, or another one.')
  @Answers(200, PromptDiff, 404)
  async diff(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('candidate') candidate: string,
    @Query({ schema: CandidateDiffQuery }) { to }: CandidateDiffQuery,
  ): Promise<PromptDiff> {
    const tuneId = uuid('prompt tune', id);
    const own = await this.#candidate(caller, tuneId, numberOf(candidate));
    const other = await this.#candidate(caller, tuneId, to ?? own.parents[0] ?? 0);
    const changed = Object.keys(own.texts)
      .map((component) => ({ component, from: other.texts[component]!, to: own.texts[component]! }))
      .filter((text) => text.from !== text.to);
    const pairs = changed.map((text) => [text.from, text.to] as const);
    const hunks = await this.suiteThreads.run(caller.teamId, { what: 'diff-texts', pairs });
    return {
      from: String(other.candidate),
      to: String(own.candidate),
      components: changed.map((text, index) => ({ ...text, hunks: hunks[index]! })),
    };
  }

  @Patch('history/:id')
  @About('Rename a prompt tune', 'Changes its name, whatever its status. Nothing else of a tune can be changed.')
  @Answers(200, PromptTune, 404)
  label(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: TuneLabels }) { name }: TuneLabels,
    @Changes() change: Change,
  ): Promise<PromptTune> {
    const tuneId = uuid('prompt tune', id);
    return change(async (client) => {
      const tunes = new PromptTuneRepository(client, caller.teamId);
      await tunes.read(tuneId);
      await labelTune(client, caller, 'prompt_tune', tuneId, name);
      return tunes.read(tuneId);
    });
  }

  @Delete('history/:id')
  @About(
    'Delete a prompt tune',
    'With the runs that it made, except for the one that it promoted; prompt versions stay. Answers 409 while it is ' +
      'not finished: cancel it first.',
  )
  @Answers(204, undefined, 404, 409)
  remove(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    const tuneId = uuid('prompt tune', id);
    return change(async (client) => {
      await new PromptTuneRepository(client, caller.teamId).read(tuneId);
      await deleteTune(client, caller, 'prompt_tune', tuneId);
    });
  }

  #candidate({ teamId }: Caller, id: string, candidate: number): Promise<PromptCandidateDetails> {
    return new PromptTuneRepository(this.pool, teamId).candidate(id, candidate);
  }

  /** Everything done before a tune is stored. @throws ProblemError 422, 409 */
  async #prepare(caller: Caller, input: PromptTuneInput): Promise<Prepared> {
    const { teamId } = caller;
    const run = await this.runs.prepare(caller, runWithBase(input)).catch(rethrowInBase);
    const meta = await this.#resolveMeta(teamId, input);
    const texts = textsOf(input, run.suite);
    const cases = [await readSplitCases(this.pool, teamId, run.suite.id)] as const;
    const { holdout, seed } = input;
    const roles = await this.suiteThreads.run(teamId, { what: 'divide-roles', cases, holdout, seed });
    const { requests, cases: count } = run.estimate;
    const requestsOfItem = Math.max(1, requests / Math.max(1, count * run.targets.length));
    const plan = planPromptTune(input, roles, run.targets.length, requestsOfItem);
    plan.notes.push(...notesOnReplies(input, texts.base));
    return { run, meta, texts, roles, plan };
  }

  async #resolveMeta(teamId: string, { suite_id, meta_model: name, meta_params: { params }, budget }: PromptTuneInput) {
    const reserved = findReservedParams(params, 'meta_params', 'params');
    if (reserved.length) throw new ProblemError(422, reserved[0]!.message, reserved);
    const asked = RunInput.parse({ suite_id, models: [name] });
    const [meta] = await resolveTargets(this.pool, teamId, asked).catch((error: unknown) => {
      if (!(error instanceof ProblemError)) throw error;
      throw error.at([{ path: '/meta_model', message: error.message }]);
    });
    if (!meta) throw notFound('model', name);
    checkBudget({ budget }, [meta]);
    return meta;
  }
}

function numberOf(candidate: string): number {
  if (!CURSOR.test(candidate)) throw notFound('candidate', candidate);
  return Number(candidate);
}

/** A range of requests to models, and the requests to the meta model, which are the same either way. */
function rangeWith(range: EstimateRange, meta: PromptTuneEstimate['meta']): EstimateRange {
  const both = ([least, most]: [number, number], more: number): [number, number] => [least + more, most + more];
  return {
    requests: both(range.requests, meta.requests),
    prompt_tokens: both(range.prompt_tokens, meta.prompt_tokens),
    completion_tokens: both(range.completion_tokens, meta.completion_tokens),
    cost_usd: range.cost_usd && meta.cost_usd !== null ? both(range.cost_usd, meta.cost_usd) : null,
  };
}

interface Prepared {
  run: ResolvedRun & { estimate: Estimate };
  meta: ResolvedTarget;
  texts: Pick<StoredPromptTune, 'base' | 'own' | 'fixed'>;
  roles: Roles;
  plan: PromptPlan;
}

/** The initial texts to tune, the base's replacements of other texts, and the suite's own version of both. */
function textsOf(input: PromptTuneInput, suite: ResolvedRun['suite']): Prepared['texts'] {
  const known = componentsOf(suite.system_prompt, suite.tools);
  const chosen = chooseComponents(input.components, known.keys());
  const { system_prompt: prompt, tools } = input.base;
  const replaced = new Map(Object.entries({ ...tools, ...(prompt !== null && { system_prompt: prompt }) }));
  const base = Object.fromEntries(chosen.map((key) => [key, replaced.get(key) ?? known.get(key)!]));
  const fixed = Object.fromEntries([...replaced].filter(([key]) => !Object.hasOwn(base, key)));
  const own = Object.fromEntries([...chosen, ...Object.keys(fixed)].map((key) => [key, known.get(key) ?? '']));
  const excess = findComponentsFault({ ...base, ...fixed });
  if (excess)
    throw new ProblemError(422, `The texts to write together ${excess}. Name fewer components.`, [
      { path: '/components', message: `match texts of which one ${excess}` },
    ]);
  return { base, own, fixed };
}

/** Prefixes the paths of errors in the base with `base`. */
function rethrowInBase(error: unknown): never {
  if (!(error instanceof ProblemError) || !error.errors) throw error;
  const errors = error.errors.map(({ path, message }) => ({
    path: path.replace(/^\/base_prompt/, '/base/system_prompt').replace(/^\/tool_overrides/, '/base/tools'),
    message,
  }));
  throw error.at(errors);
}

/**
 * A run of the suite with the base, checked and estimated like any run. It skips the cache, which may have the replies
 * to the base but none of the others.
 */
const runWithBase = ({ base, suite_id, models, budget, experiment_id, ...input }: PromptTuneInput): RunInput =>
  RunInput.parse({
    suite_id,
    models,
    budget,
    experiment_id,
    base_prompt: base.system_prompt,
    tool_overrides: base.tools,
    temperature: input.temperature,
    tool_choice: input.tool_choice,
    max_tokens: input.max_tokens,
    params: input.params,
    timeout_s: input.timeout_s,
    cache: 'off',
  });
