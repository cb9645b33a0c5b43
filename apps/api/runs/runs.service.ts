import { Inject, Injectable } from '@nestjs/common';
import { defaultCachePolicy } from '#lib/contracts/cache-policy';
import type { SamplesInput } from '#lib/gate/contract';
import type { JudgeOfRun } from '#lib/contracts/judge-of-run';
import { metricName, type RunMetric } from '#lib/contracts/metric';
import type { Page, PageQuery } from '#lib/contracts/page';
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import type { Rescore, RescoreInput, RescoreOptions, RescoreSubmitted } from '#lib/contracts/rescore';
import type { Estimate } from '#lib/contracts/estimate';
import type { ResumeInput, RunInput, RunLabels } from '#lib/contracts/run-input';
import type { Run, RunsQuery, Submitted } from '#lib/contracts/run';
import { targetName } from '#lib/contracts/target-name';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { MarkRepository } from '#lib/db/catalogue/marks';
import { JudgeSettingRepository } from '#lib/judge/rows/judge-settings';
import type { Pool } from '#lib/db/connection/pool';
import { extendRun } from '#lib/db/engine/extend-run';
import { askByRun } from '#lib/judge/rows/judge-of-run';
import { labelRun } from '#lib/db/engine/label-run';
import { submitRescore } from '#lib/db/engine/rescore-run';
import { resumeRun } from '#lib/db/engine/resume-run';
import { submitRun, type ResolvedTarget } from '#lib/db/engine/submit-run';
import { RescoreRepository } from '#lib/db/read/rescores';
import { CurrentCostRepository } from '#lib/db/read/current-cost';
import { RunRepository } from '#lib/db/read/runs';
import { deleteRun } from '#lib/db/upkeep/delete-run';
import type { Redis } from '#lib/runtime/redis';
import { traceSubmit } from '#lib/runtime/tracing/tracing';
import type { Change } from '../platform/decorators.js';
import { notifyOfJobs } from '../platform/notify-of-jobs.js';
import { POOL, REDIS } from '../platform/stores.js';
import { SuiteThreads } from '../threads/suite-threads.js';
import { checkRescore } from './check-rescore.js';
import { checkBudget, checkRun } from './check-run.js';
import { checkSpending } from './check-spending.js';
import { checkTargets } from './check-targets.js';
import { RunEstimator, type ResolvedRun } from './estimate-run.js';
import { findSuite } from './find-suite.js';
import { refuseSelf, resolveJudge } from './resolve-judge.js';
import { resolveMaxTokens } from './resolve-max-tokens.js';
import { resolveMetrics, withVersions } from './resolve-metrics.js';
import { resolvePrompt } from './resolve-prompt.js';
import { resolveTargets } from './resolve-targets.js';
import { resumeFacts, runFacts } from './run-facts.js';

/** Requests that are counted before a run is stored, while its user waits. */
const MAX_COUNTED_AT_SUBMIT = 200;

/** Submits, reads and changes runs. Each check comes before the transaction, and notifications come after it. */
@Injectable()
export class RunService {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
    readonly suiteThreads: SuiteThreads,
    readonly estimator: RunEstimator,
  ) {}

  async submit(caller: Caller, input: RunInput, change: Change): Promise<Submitted> {
    const startedAtMs = Date.now();
    const run = await this.prepare(caller, input);
    const { targets, estimate } = run;
    const submitted = await change(async (client) => {
      const written = await submitRun(client, {
        teamId: caller.teamId,
        userId: caller.userId,
        tokenId: caller.tokenId,
        suiteId: input.suite_id,
        input: run.input,
        targets,
        estimate,
      });
      const { jobId, runId } = written;
      const { judge } = run.input;
      if (judge?.when === 'inline' && judge.below > 0)
        await askByRun(client, {
          ...caller,
          runId,
          experimentId: input.experiment_id,
          source: 'inline',
          judge: judge.judge!,
          below: judge.below,
          instructions: (await new JudgeSettingRepository(client, caller.teamId).read()).instructions,
        });
      await audit(client, caller, 'run.submit', runId, { after: runFacts(run, written) });
      return { job_id: jobId, eval_id: runId, status: 'submitted' as const };
    });
    traceSubmit(submitted.eval_id, startedAtMs, {
      'toolmark.job': submitted.job_id,
      'toolmark.suite': input.suite_id,
      'toolmark.models': targets.map(targetName),
    });
    notifyOfJobs(this.redis, [submitted.job_id], new Set(targets.map((target) => target.laneId)));
    return submitted;
  }

  async estimate(caller: Caller, input: RunInput): Promise<Estimate> {
    return this.estimator.estimate(caller.teamId, await this.#resolve(caller, input));
  }

  /**
   * Everything done before a run is stored: its suite and models are resolved, and it is checked and estimated.
   * @throws ProblemError 422 when it cannot be executed, 409 when the team or the token has reached its monthly cap
   */
  async prepare(caller: Caller, input: RunInput): Promise<ResolvedRun & { estimate: Estimate }> {
    const run = await this.#resolve(caller, input);
    await checkSpending(this.pool, caller, input, run.targets);
    return { ...run, estimate: await this.estimator.estimate(caller.teamId, run, MAX_COUNTED_AT_SUBMIT) };
  }

  async #resolve(caller: Caller, input: RunInput): Promise<ResolvedRun> {
    const { pool } = this;
    const metrics = resolveMetrics(input.metrics);
    const suite = await findSuite(pool, caller.teamId, input.suite_id);
    const targets = await resolveTargets(pool, caller.teamId, input);
    await checkRun(pool, caller.teamId, input, targets);
    const prompt = await resolvePrompt(pool, caller.teamId, input, suite);
    const judge = input.judge && { ...input.judge, judge: await this.#resolveJudge(caller, input.judge, targets) };
    const maxTokens = await resolveMaxTokens(pool, caller.teamId, input);
    const cache = input.cache ?? defaultCachePolicy(input);
    return {
      input: { ...input, ...prompt, max_tokens: maxTokens, judge, metrics, cache },
      suite,
      targets,
    };
  }

  async #resolveJudge({ teamId }: Caller, { judge: name }: JudgeOfRun, targets: readonly ResolvedTarget[]) {
    const judge = await resolveJudge(this, teamId, name, '/judge/judge');
    refuseSelf(judge, targets.map(targetName), '/judge/judge');
    return targetName(judge);
  }

  async list({ teamId, userId, limits }: Caller, query: RunsQuery): Promise<Page<Run>> {
    const page = { ...query, userId, suiteIds: limits.suiteIds };
    const { items, next_cursor } = await new RunRepository(this.pool, teamId).list(page);
    const marks = new MarkRepository(this.pool, teamId, userId);
    const mine = await marks.of(
      'run',
      items.map(({ id }) => id),
    );
    return { items: items.map((run) => ({ ...run, mine: mine(run.id) })), next_cursor };
  }

  read(caller: Caller, runId: string): Promise<Run> {
    return new RunRepository(this.pool, caller.teamId).read(runId);
  }

  /** With its cost at today's prices. */
  async readWithPrices(caller: Caller, runId: string): Promise<Run> {
    const run = await this.read(caller, runId);
    return { ...run, current_cost: await new CurrentCostRepository(this.pool, caller.teamId).read(runId) };
  }

  async label(caller: Caller, runId: string, labels: RunLabels, change: Change): Promise<Run> {
    const run = await this.read(caller, runId);
    return change(async (client) => {
      const changed = await labelRun(client, { teamId: caller.teamId, runId }, labels);
      await audit(client, caller, 'run.update', runId, changed);
      return { ...run, ...changed.after };
    });
  }

  delete(caller: Caller, runId: string, change: Change): Promise<void> {
    return change(async (client) => {
      const outcome = await deleteRun(client, { teamId: caller.teamId, runId });
      if (outcome === 'not-found') throw notFound('run', runId);
      if (outcome === 'unfinished')
        throw new ProblemError(409, 'The run is not finished. Cancel it first.').as('run_unfinished', {
          run_id: runId,
        });
      const { id: _id, ...before } = outcome;
      await audit(client, caller, 'run.delete', runId, { before });
    });
  }

  async resume(caller: Caller, runId: string, input: ResumeInput, change: Change): Promise<Submitted> {
    await checkTargets(new RunRepository(this.pool, caller.teamId), runId);
    let lanes: string[] = [];
    const submitted = await change(async (client) => {
      const { teamId, userId, tokenId } = caller;
      const resumed = await resumeRun(client, { teamId, userId, tokenId, runId, ...input });
      ({ lanes } = resumed);
      const { jobId, items, earlierBudget } = resumed;
      const { before, after } = resumeFacts(jobId, earlierBudget, input);
      await audit(client, caller, 'run.resume', runId, { before, after: { ...after, items } });
      return { job_id: resumed.jobId, eval_id: runId, status: 'submitted' as const };
    });
    notifyOfJobs(this.redis, [submitted.job_id], lanes);
    return submitted;
  }

  async addSamples(caller: Caller, runId: string, input: SamplesInput, change: Change): Promise<Submitted> {
    const { teamId, userId, tokenId } = caller;
    const run = await this.read(caller, runId);
    const targets = await checkTargets(new RunRepository(this.pool, teamId), runId);
    checkBudget(input, targets);
    await checkSpending(this.pool, caller, { suite_id: run.suite.id, case_filter: null }, targets);
    let lanes: string[] = [];
    const submitted = await change(async (client) => {
      const extension = await extendRun(client, { teamId, userId, tokenId, runId, ...input });
      ({ lanes } = extension);
      const { runId: added, jobId, items } = extension;
      await audit(client, caller, 'run.extend', runId, {
        after: { ...input, eval_id: added, job_id: jobId, items },
      });
      return { job_id: extension.jobId, eval_id: extension.runId, status: 'submitted' as const };
    });
    notifyOfJobs(this.redis, [submitted.job_id], lanes);
    return submitted;
  }

  async rescore(caller: Caller, runId: string, input: RescoreInput, change: Change): Promise<RescoreSubmitted> {
    const { pool, suiteThreads } = this;
    const run = await this.read(caller, runId);
    const metrics = input.metrics
      ? resolveMetrics(input.metrics)
      : withVersions(run.config.metrics as unknown as RunMetric[]);
    const options: RescoreOptions = { ...input, metrics };
    const { suite } = run;
    const asked = input.suite_version ?? suite.version;
    const version = asked === suite.version ? null : { suiteId: suite.id, version: asked };
    await checkRescore({ pool, suiteThreads }, caller, { runId, options, version });
    const submitted = await change(async (client) => {
      const rescore = await submitRescore(client, {
        teamId: caller.teamId,
        userId: caller.userId,
        tokenId: caller.tokenId,
        runId,
        options,
        version,
      });
      if (rescore === 'unfinished')
        throw new ProblemError(
          409,
          'The run is not finished. Cancel it, or wait for it to end, then score it again.',
        ).as('run_unfinished', { run_id: runId });
      await audit(client, caller, 'run.rescore', runId, {
        after: { ...input, metrics: metrics.map(metricName), job_id: rescore.jobId, rescore_id: rescore.rescoreId },
      });
      return { job_id: rescore.jobId, rescore_id: rescore.rescoreId, eval_id: runId, status: 'submitted' as const };
    });
    notifyOfJobs(this.redis, [submitted.job_id]);
    return submitted;
  }

  async listRescores(caller: Caller, runId: string, page: PageQuery): Promise<Page<Rescore>> {
    const { id } = await this.read(caller, runId);
    return new RescoreRepository(this.pool, caller.teamId).list(id, page);
  }
}
