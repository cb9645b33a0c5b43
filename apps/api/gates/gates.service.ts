import { Inject, Injectable } from '@nestjs/common';
import type { Gate, GateInput, GatesQuery, GateUpdate } from '#lib/gate/contract';
import { ProblemError } from '#lib/contracts/input/problem';
import type { Page } from '#lib/contracts/page';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { GateRepository } from '#lib/gate/rows/gates';
import { readRunOfSuite } from '#lib/db/catalogue/take-baseline';
import type { Pool, PoolClient } from '#lib/db/connection/pool';
import { deleteOrchestrations } from '#lib/db/upkeep/delete-parents';
import { ComparisonAnswers, type Patience } from '../comparisons/comparison-answers.js';
import type { Change } from '../platform/decorators.js';
import { POOL } from '../platform/stores.js';
import { findSuite } from '../runs/find-suite.js';
import { answerGate } from './answer-gate.js';
import { checkRules } from './check-rules.js';
import { describeGate } from './describe-gate.js';

/** Creates, changes and checks gates. */
@Injectable()
export class GateService {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly answers: ComparisonAnswers,
  ) {}

  async list({ teamId }: Caller, query: GatesQuery): Promise<Page<Gate>> {
    const { items, next_cursor } = await new GateRepository(this.pool, teamId).list(query);
    return { items: items.map(describeGate), next_cursor };
  }

  async create(caller: Caller, input: GateInput, change: Change): Promise<Gate> {
    const { teamId } = caller;
    const { id: suiteId } = await findSuite(this.pool, teamId, input.suite_id);
    const models = (await checkRules(this, teamId, { ...input, suiteId })) ?? null;
    return change(async (client) => {
      const id = await new GateRepository(client, teamId).create({ ...input, suite_id: suiteId, models });
      await audit(client, caller, 'gate.create', id);
      return this.#read(client, caller, id);
    });
  }

  read(caller: Caller, id: string): Promise<Gate> {
    return this.#read(this.pool, caller, id);
  }

  async update(caller: Caller, id: string, update: GateUpdate, change: Change): Promise<Gate> {
    const { teamId } = caller;
    const gate = await new GateRepository(this.pool, teamId).read(id);
    const { name = gate.name, baseline = gate.baseline, ...changed } = update;
    const models = await checkRules(this, teamId, { ...changed, suiteId: gate.suiteId, baseline });
    const rules = { ...gate.rules, ...changed, ...(models !== undefined && { models }) };
    return change(async (client) => {
      await new GateRepository(client, teamId).update(gate, { name, baseline, rules });
      await audit(client, caller, 'gate.update', id);
      return this.#read(client, caller, id);
    });
  }

  delete(caller: Caller, id: string, change: Change): Promise<void> {
    return change(async (client) => {
      const { teamId } = caller;
      const outcome = await deleteOrchestrations(client, { teamId, subjectId: id });
      if (outcome === 'unfinished')
        throw new ProblemError(409, 'The gate has an unfinished gate run. Cancel its job, or wait for it to end.');
      await new GateRepository(client, teamId).delete(id);
      await audit(client, caller, 'gate.delete', id);
    });
  }

  /** @returns JSON of a `GateAnswer`; undefined when it takes longer than the caller waits */
  async check(
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
    return describeGate(await new GateRepository(db, teamId).read(id));
  }
}
