import type { Redis } from 'ioredis';
import { pino } from 'pino';
import type { GateRunInput } from '#lib/db/engine/gate-runs';
import { GateInput } from '#lib/contracts/gate';
import { isFinished } from '#lib/contracts/job';
import { RunInput } from '#lib/contracts/run';
import { insertRow } from '#lib/db/connection/insert-row';
import { createPool, type Pool } from '#lib/db/connection/pool';
import { finishRun, runsToFinish } from '#lib/db/engine/finish-run';
import { submitOrchestration } from '#lib/db/engine/orchestrations';
import { JobRepository } from '#lib/db/read/jobs';
import { aTeam } from '#lib/db/testing/run-fixture';
import { settleRun, type Outcome } from '#lib/db/testing/settled-run';
import { newId } from '#lib/runtime/ids';
import { connectRedis } from '#lib/runtime/redis';
import { Orchestrator } from '../apps/worker/control/orchestrate.js';
import { gateSteps } from '../apps/worker/orchestrations/gate-steps.js';
import { createDatabase, createRedis } from './services.js';
import { until } from './until.js';

const never = new AbortController().signal;

/** Stores of a test file of gate runs, and what their workers do. */
export async function openGateRuns() {
  const [database, { url, close }] = [await createDatabase(), await createRedis()];
  const [pool, locks] = [createPool(database.url, 10), createPool(database.url, 10)];
  const redis = connectRedis(url, 'producer', pino({ level: 'silent' }));
  const stores = { pool, locks, redis };
  return {
    pool,
    aGateRun: (asked: Asked = {}) => aGateRun(stores, asked),
    async close(): Promise<void> {
      await Promise.all([pool.end(), locks.end(), redis.quit()]);
      await Promise.all([database.drop(), close()]);
    },
  };
}

interface Stores {
  pool: Pool;
  locks: Pool;
  redis: Redis;
}

/** What a worker process does for gate runs. */
const aWorker = ({ pool, locks, redis }: Stores, db: Pool): Orchestrator =>
  new Orchestrator({
    pool: db,
    locks: db === pool ? locks : db,
    redis,
    nextSteps: { gate: gateSteps(db) },
    onChildren: () => {},
    onMoreToDo: () => {},
  });

/** A child run: what it was made for, and how many cases it has. */
export interface Child {
  id: string;
  step: string;
  arm: string;
  cases: number;
}
export type Replies = (child: Child) => Outcome[];
/** So many cases that were right, of these. */
export const right = (count: number, { cases }: Pick<Child, 'cases'>): Outcome[] =>
  Array.from({ length: cases }, (_, n) => Number(n < count));
export const allRight: Replies = (child) => right(child.cases, child);
export const CASES = 60;

interface Asked extends Partial<Omit<GateInput, 'baseline'>> {
  cases?: number;
  /** How many cases of the baseline were right; null: the gate has no baseline. */
  baseline?: number | null;
  maxRequests?: number | null;
  /** A run to measure that is there already, with so many cases that were right. */
  given?: number;
}

/** A team with a baseline, a gate, and a gate run that is submitted and not begun. */
async function submitGateRun(
  pool: Pool,
  { cases = CASES, baseline = cases, maxRequests = null, given, ...rules }: Asked,
) {
  const team = await aTeam(pool, { cases });
  const { teamId, userId, suiteId } = team;
  await pool.query(`UPDATE suite_case SET tags = '{vital}' WHERE suite_id = $1 AND position = 0`, [suiteId]);
  const ended = async (count: number): Promise<string> => {
    const { runId } = await team.submit();
    await settleRun(pool, runId, right(count, { cases }));
    for (const run of await runsToFinish(pool)) await finishRun(pool, run);
    return runId;
  };
  const baselineId = baseline === null ? null : await ended(baseline);
  const evalId = given === undefined ? undefined : await ended(given);
  const {
    name,
    suite_id: _suite,
    baseline: _baseline,
    ...fixed
  } = GateInput.parse({ name: 'main', suite_id: suiteId, baseline: { eval_id: newId() }, margin: 0.05, ...rules });
  const gateId = newId();
  await insertRow(pool, 'gate', { id: gateId, team_id: teamId, name, suite_id: suiteId, rules: JSON.stringify(fixed) });
  const { rows: providers } = await pool.query<{ id: string }>('SELECT id FROM provider WHERE team_id = $1', [teamId]);
  const target = { providerId: providers[0]!.id, providerKey: 'sim', modelId: 'a', laneId: team.laneId };
  const input: GateRunInput = {
    gate: { id: gateId, name, version: 1, rules: fixed },
    baselineId,
    ...(evalId !== undefined && { evalId }),
    run: {
      input: { ...RunInput.parse({ suite_id: suiteId, models: ['sim::a'] }), metrics: [], cache: 'off' },
      targets: [{ ...target, priced: false, params: {}, systemPrompt: null }],
    },
  };
  const { id, jobId } = await submitOrchestration(pool, {
    teamId,
    userId,
    type: 'gate',
    subjectId: gateId,
    step: 'run',
    input,
    total: cases,
    maxRequests,
    maxCostUsd: null,
  });
  return { teamId, userId, id, jobId, gateId, baselineId, evalId };
}

/** A gate run, and all that can happen to it. */
async function aGateRun(stores: Stores, asked: Asked) {
  const { pool } = stores;
  const submitted = await submitGateRun(pool, asked);
  const { teamId, id, gateId } = submitted;
  const rows = async (text: string, values: unknown[]): Promise<any[]> => (await pool.query(text, values)).rows;
  const jobs = new JobRepository(pool, teamId);
  const children = (): Promise<(Child & { status: string; samples: number; extends_run_id: string | null })[]> =>
    rows(
      `SELECT r.id, step, arm, status, samples, extends_run_id, t.n / r.samples AS cases
       FROM run r JOIN target t ON t.run_id = r.id WHERE orchestration_id = $1 ORDER BY r.id`,
      [id],
    );
  const jobIdNow = async (): Promise<string> =>
    (await rows('SELECT job_id FROM orchestration WHERE id = $1', [id]))[0].job_id;
  return {
    ...submitted,
    children,
    job: async () => jobs.read(await jobIdNow()),
    /** Lets this worker make the steps that can be made now. */
    async step(db = pool): Promise<void> {
      const worker = aWorker(stores, db);
      for (const waiting of await worker.toAdvance())
        if (waiting.orchestrationId === id) await worker.advance(waiting, never);
    },
    async reply(replies: Replies): Promise<void> {
      for (const child of await children())
        if (!isFinished(child.status as never)) await settleRun(pool, child.id, replies(child));
      for (const run of await runsToFinish(pool)) await finishRun(pool, run);
    },
    /** Goes on until the gate run has ended. @returns what it says */
    async end(replies: Replies = allRight): Promise<any> {
      await until(async () => {
        await this.step();
        await this.reply(replies);
        return isFinished((await jobs.read(await jobIdNow())).status);
      });
      return this.state();
    },
    state: async () => JSON.parse((await rows('SELECT state FROM orchestration WHERE id = $1', [id]))[0].state),
    log: async () =>
      (await rows('SELECT name, data FROM job_event WHERE job_id = $1 ORDER BY seq', [await jobIdNow()])).map(
        ({ name: event, data }) => [event, JSON.parse(data)] as [string, any],
      ),
    looks: () => rows('SELECT look, answer FROM gate_look WHERE gate_id = $1 ORDER BY look', [gateId]),
  };
}
