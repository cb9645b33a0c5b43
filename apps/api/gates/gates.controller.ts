import { Body, Controller, Delete, Get, Param, Post, Put, Query, Res, Inject } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Comparing } from '#lib/contracts/comparing';
import {
  Gate,
  GateAnswer,
  GateCheckQuery,
  GateInput,
  GateRun,
  GateRunInput,
  GatesQuery,
  GateSubmitted,
  GateUpdate,
} from '#lib/gate/contract';
import { targetName } from '#lib/contracts/target-name';
import { PageQuery, pageOf, type PageQuery as PageQueryType, type Page } from '#lib/contracts/page';
import type { Caller } from '#lib/db/catalogue/callers';
import { patienceOf, sendComparison } from '../comparisons/send-comparison.js';
import { LISTS_BYTES } from '../platform/body-bounds.js';
import { About, Answers, Changes, idCursor, Me, TakesUpTo, uuid, type Change } from '../platform/decorators.js';
import { ProblemError } from '#lib/contracts/input/problem';
import { audit } from '#lib/db/catalogue/audit';
import { GateRepository } from '#lib/gate/rows/gates';
import { readRunOfSuite } from '#lib/db/catalogue/take-baseline';
import type { Pool, PoolClient } from '#lib/db/connection/pool';
import { deleteOrchestrations } from '#lib/db/upkeep/delete-parents';
import { ComparisonAnswers, type Patience } from '../comparisons/comparison-answers.js';
import { POOL, REDIS } from '../platform/stores.js';
import { findSuite } from '../runs/find-suite.js';
import { answerGate } from './answer-gate.js';
import { checkRules } from './check-rules.js';
import { describeGate } from './describe-gate.js';
import { submitOrchestration } from '#lib/db/engine/orchestrations';
import { GateRunRepository, type GateRunInput as StoredInput, type GateStep } from '#lib/gate/rows/gate-runs';
import type { Redis } from '#lib/runtime/redis';
import { notifyOfJobs } from '../platform/notify-of-jobs.js';
import { runFacts } from '../runs/run-facts.js';
import { RunService } from '../runs/runs.service.js';
import { prepareGateRun } from './prepare-gate-run.js';
import { readSensitivity } from './read-sensitivity.js';

/** Same as for a run: system prompts of many models, and overrides of the suite's texts. */
const RUN_BYTES = 2 ** 20;

/** Creates, changes and checks gates. */
@Controller('api/gates')
export class GatesController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly answers: ComparisonAnswers,
    @Inject(REDIS) readonly redis: Redis,
    readonly runs: RunService,
  ) {}

  @Get()
  @About('List gates', 'The newest first.')
  @Answers(200, pageOf(Gate))
  async list(
    @Me() { teamId, limits }: Caller,
    @Query({ schema: GatesQuery }) { cursor, ...query }: GatesQuery,
  ): Promise<Page<Gate>> {
    const gates = new GateRepository(this.pool, teamId);
    const page = { ...query, cursor: idCursor(cursor), suiteIds: limits.suiteIds };
    const { items, next_cursor } = await gates.list(page);
    return { items: items.map(describeGate), next_cursor };
  }

  @Post()
  @TakesUpTo(LISTS_BYTES, GateInput)
  @About(
    'Create a gate',
    'It decides whether a run is worse than a baseline, by rules that are fixed before the run: a margin chosen ' +
      'after seeing the result proves nothing. Answers 409 when another gate of the team has this name.',
  )
  @Answers(201, Gate, 409)
  async create(@Me() caller: Caller, @Body({ schema: GateInput }) input: GateInput, @Changes() change: Change) {
    const { teamId } = caller;
    const { id: suiteId } = await findSuite(this.pool, teamId, input.suite_id);
    const models = (await checkRules(this, teamId, { ...input, suiteId })) ?? null;
    return change(async (client) => {
      const id = await new GateRepository(client, teamId).create({ ...input, suite_id: suiteId, models });
      await audit(client, caller, 'gate.create', id, { after: { ...input, suite_id: suiteId, models } });
      return this.#read(client, caller, id);
    });
  }

  @Get(':id')
  @About('Read a gate', 'Its rules, and the run that is its baseline now.')
  @Answers(200, Gate, 404)
  read(@Me() caller: Caller, @Param('id') id: string): Promise<Gate> {
    return this.#read(this.pool, caller, uuid('gate', id));
  }

  @Put(':id')
  @TakesUpTo(LISTS_BYTES, GateUpdate)
  @About(
    'Change a gate',
    'Another baseline or other rules make its next version, which every answer names. A change of the name alone ' +
      'does not, and neither does one that changes nothing.',
  )
  @Answers(200, Gate, 404, 409)
  async update(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: GateUpdate }) update: GateUpdate,
    @Changes() change: Change,
  ): Promise<Gate> {
    const gateId = uuid('gate', id);
    const { teamId } = caller;
    const gate = await new GateRepository(this.pool, teamId).read(gateId);
    const { name = gate.name, baseline = gate.baseline, ...changed } = update;
    const models = await checkRules(this, teamId, { ...changed, suiteId: gate.suiteId, baseline });
    const rules = { ...gate.rules, ...changed, ...(models !== undefined && { models }) };
    return change(async (client) => {
      const changed = await new GateRepository(client, teamId).update(gate, { name, baseline, rules });
      await audit(client, caller, 'gate.update', gateId, changed);
      return this.#read(client, caller, gateId);
    });
  }

  @Delete(':id')
  @About(
    'Delete a gate',
    'With its answers, its gate runs, and the runs that they made; those that are a baseline stay. Answers 409 while ' +
      'a gate run is not finished: cancel it first.',
  )
  @Answers(204, undefined, 404, 409)
  remove(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    const gateId = uuid('gate', id);
    return change(async (client) => {
      const { teamId } = caller;
      const outcome = await deleteOrchestrations(client, { teamId, subjectId: gateId });
      if (outcome === 'unfinished')
        throw new ProblemError(409, 'The gate has an unfinished gate run. Cancel it, or wait for it to end.').as(
          'job_unfinished',
        );
      const before = await new GateRepository(client, teamId).delete(gateId);
      await audit(client, caller, 'gate.delete', gateId, { before: { ...before, gate_runs: outcome.length } });
    });
  }

  @Get(':id/check')
  @About(
    'Check a run',
    'Measures the run against the baseline, by the rules of the gate. Asked again about the same data, it says the ' +
      'same; no model is asked. Further samples make another look, and once all `looks` are used up, the last answer ' +
      'stands. The run must be of the suite of the gate.',
  )
  @Answers(200, GateAnswer, 404, 422, 429)
  @Answers(202, Comparing)
  async check(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: GateCheckQuery }) { eval_id: evalId, wait }: GateCheckQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return sendComparison(await this.#check(caller, uuid('gate', id), evalId, patienceOf(reply, wait)), reply);
  }

  @Post(':id/run')
  @TakesUpTo(RUN_BYTES, GateRunInput)
  @About(
    'Run a gate',
    'Makes the run to measure, with the settings of the baseline except for what `config` says, or takes the one ' +
      'that `eval_id` names. While the answer is `inconclusive`, it doubles the samples of both sides, as often as ' +
      '`looks` says. Without a baseline nothing is run, and the answer is `not_measured`.',
  )
  @Answers(202, GateSubmitted, 404, 409)
  async run(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: GateRunInput.nullish() }) input: GateRunInput | null | undefined,
    @Changes() change: Change,
  ): Promise<GateSubmitted> {
    const gateId = uuid('gate', id);
    const { teamId, userId, tokenId } = caller;
    const gate = await new GateRepository(this.pool, teamId).read(gateId);
    const { run, evalId } = await prepareGateRun(
      { pool: this.pool, teamId, gate },
      input ?? {},
      async (planned) => {
        const { input: settings, targets, estimate } = await this.runs.prepare(caller, planned);
        // The budget belongs to the gate run, which shares it between the run and the added samples.
        return { input: { ...settings, budget: null }, targets, estimate };
      },
      ({ targets }) => targets.map(targetName),
    );
    const budget = run && input?.config?.budget;
    const { name, version, rules } = gate;
    const stored: StoredInput = {
      gate: { id: gateId, name, version, rules },
      baselineId: gate.baselineId,
      evalId,
      run,
    };
    const submitted = await change(async (client) => {
      const { id: gateRunId, jobId } = await submitOrchestration(client, {
        teamId,
        userId,
        tokenId,
        type: 'gate',
        subjectId: gateId,
        step: 'run' satisfies GateStep,
        input: stored,
        total: run ? run.estimate!.cases * run.input.samples * run.targets.length : 0,
        maxRequests: lowest(rules.max_requests, budget?.max_requests),
        maxCostUsd: budget?.max_cost_usd ?? null,
      });
      await audit(client, caller, 'gate.run', gateId, {
        after: { ...factsOf(stored), gate_run_id: gateRunId, budget },
      });
      return { job_id: jobId, gate_run_id: gateRunId, status: 'submitted' as const };
    });
    notifyOfJobs(this.redis, [submitted.job_id]);
    return submitted;
  }

  @Get(':id/runs')
  @About('List the gate runs of a gate', 'The newest first.')
  @Answers(200, pageOf(GateRun), 404)
  async listRuns(
    @Me() { teamId }: Caller,
    @Param('id') id: string,
    @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType,
  ): Promise<Page<GateRun>> {
    const gateId = uuid('gate', id);
    await new GateRepository(this.pool, teamId).read(gateId);
    return new GateRunRepository(this.pool, teamId).list(gateId, { limit, cursor: idCursor(cursor) });
  }

  @Get(':id/runs/:runId')
  @About('Read a gate run', 'The runs that it made, what each look said, and its answer once there is one.')
  @Answers(200, GateRun, 404)
  readRun(@Me() { teamId }: Caller, @Param('id') id: string, @Param('runId') runId: string): Promise<GateRun> {
    return new GateRunRepository(this.pool, teamId).read(uuid('gate', id), uuid('gate run', runId));
  }

  /** @returns JSON of a `GateAnswer`; undefined when it takes longer than the caller waits */
  async #check(
    { teamId }: Caller,
    id: string,
    evalId: string,
    patience: Patience,
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { pool } = this;
    const gate = await new GateRepository(pool, teamId).read(id);
    const { baselineId, suiteId } = gate;
    const runId = evalId.toLowerCase();
    const { samples } = await readRunOfSuite(pool, teamId, { runId, suiteId, path: '/eval_id' });
    return answerGate(this, teamId, gate, { baselineId, runId, samples }, patience);
  }

  async #read(db: Pool | PoolClient, { teamId }: Caller, id: string): Promise<Gate> {
    const gate = await new GateRepository(db, teamId).read(id);
    const sensitivity = await readSensitivity(this.pool, teamId, { ...gate, ...gate.rules });
    return { ...describeGate(gate), sensitivity };
  }
}

/** What the audit says of a gate run. */
const factsOf = ({ gate, baselineId, evalId, run }: StoredInput) => ({
  ...(run && runFacts(run)),
  ...{ version: gate.version, baseline_eval_id: baselineId, eval_id: evalId },
});

/** The lower of the limits that are set. */
function lowest(...limits: (number | null | undefined)[]): number | null {
  const given = limits.filter((limit) => limit !== null && limit !== undefined);
  return given.length ? Math.min(...given) : null;
}
