import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { GateRun, GateRunConfig, GateRunInput, GateSubmitted } from '#lib/gate/contract';
import { ProblemError } from '#lib/contracts/input/problem';
import type { Page, PageQuery } from '#lib/contracts/page';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { GateRepository, type StoredGate } from '#lib/gate/rows/gates';
import { readRunOfSuite } from '#lib/db/catalogue/take-baseline';
import type { Pool } from '#lib/db/connection/pool';
import type { GateRunInput as StoredInput, GateStep } from '#lib/gate/rows/stored-gate-run';
import { submitOrchestration } from '#lib/db/engine/orchestrations';
import { ExperimentRunRepository, type ExperimentRun } from '#lib/db/read/experiment-runs';
import { GateRunRepository } from '#lib/gate/rows/gate-runs';
import type { Change } from '../platform/decorators.js';
import { notifyOfJobs } from '../platform/notify-of-jobs.js';
import { POOL, REDIS } from '../platform/stores.js';
import { forgetDeletedVersion } from '../runs/resolve-prompt.js';
import { RunService } from '../runs/runs.service.js';
import { checkGateModels, planRun } from './plan-run.js';

/** The path of the run settings in the body. */
const CONFIG = '/config';

type GateBudget = GateRunConfig['budget'];

/** What a gate run has to do, apart from its gate. */
type Planned = Pick<StoredInput, 'evalId' | 'run'>;

/** Submits and reads gate runs. */
@Injectable()
export class GateRunService {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
    readonly runs: RunService,
  ) {}

  async submit(caller: Caller, gateId: string, input: GateRunInput, change: Change): Promise<GateSubmitted> {
    const { teamId, userId } = caller;
    const gate = await new GateRepository(this.pool, teamId).read(gateId);
    const { budget, run, evalId } = await this.#plan(caller, gate, input);
    const { id, name, version, rules } = gate;
    const stored: StoredInput = { gate: { id, name, version, rules }, baselineId: gate.baselineId, evalId, run };
    const submitted = await change(async (client) => {
      const { id: gateRunId, jobId } = await submitOrchestration(client, {
        teamId,
        userId,
        type: 'gate',
        subjectId: id,
        step: 'run' satisfies GateStep,
        input: stored,
        total: run ? run.estimate!.cases * run.input.samples * run.targets.length : 0,
        maxRequests: lowest(rules.max_requests, budget?.max_requests),
        maxCostUsd: budget?.max_cost_usd ?? null,
      });
      await audit(client, caller, 'gate.run', id);
      return { job_id: jobId, gate_run_id: gateRunId, status: 'submitted' as const };
    });
    notifyOfJobs(this.redis, [submitted.job_id]);
    return submitted;
  }

  async list({ teamId }: Caller, gateId: string, page: PageQuery): Promise<Page<GateRun>> {
    await new GateRepository(this.pool, teamId).read(gateId);
    return new GateRunRepository(this.pool, teamId).list(gateId, page);
  }

  read({ teamId }: Caller, gateId: string, id: string): Promise<GateRun> {
    return new GateRunRepository(this.pool, teamId).read(gateId, id);
  }

  /** What to run, or which run to measure. Without a baseline nothing is run. */
  async #plan(
    caller: Caller,
    gate: StoredGate,
    { eval_id, config = {} }: GateRunInput,
  ): Promise<Planned & { budget?: GateBudget }> {
    const { teamId } = caller;
    if (eval_id !== undefined) {
      const evalId = eval_id.toLowerCase();
      await readRunOfSuite(this.pool, teamId, { runId: evalId, suiteId: gate.suiteId, path: '/eval_id' });
      return { evalId };
    }
    const { baselineId } = gate;
    const runs = new ExperimentRunRepository(this.pool, teamId);
    const baseline = baselineId === null ? undefined : (await runs.find([baselineId])).get(baselineId);
    if (!baseline) return {};
    return { budget: config.budget, run: await this.#prepare(caller, gate, baseline, config) };
  }

  /** The budget belongs to the gate run, which shares it between the run and the added samples. */
  async #prepare(
    caller: Caller,
    gate: StoredGate,
    baseline: ExperimentRun,
    config: GateRunConfig,
  ): Promise<NonNullable<Planned['run']>> {
    const plan = planRun(gate, baseline, config);
    // A version named by the caller must exist.
    const planned =
      config.prompt_version_id == null ? await forgetDeletedVersion(this.pool, caller.teamId, plan) : plan;
    try {
      const { input, targets, estimate } = await this.runs.prepare(caller, planned);
      checkGateModels(gate, targets);
      return { input: { ...input, budget: null }, targets, estimate };
    } catch (error) {
      if (!(error instanceof ProblemError) || !error.errors) throw error;
      const inBody = error.errors.map(({ path, message }) => ({ path: CONFIG + path, message }));
      throw new ProblemError(error.status, error.message, inBody);
    }
  }
}

/** The lower of the limits that are set. */
function lowest(...limits: (number | null | undefined)[]): number | null {
  const given = limits.filter((limit) => limit !== null && limit !== undefined);
  return given.length ? Math.min(...given) : null;
}
