import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { createDatabase, createRedis } from '../../../test/services.js';
import { until } from '../../../test/until.js';
import type { GateRunInput } from '#lib/comparison/gate/gate-run';
import { GateInput } from '#lib/contracts/gate';
import { isFinished } from '#lib/contracts/job';
import { RunInput } from '#lib/contracts/run';
import { insertRow } from '#lib/db/connection/insert-row';
import { createPool, type Pool } from '#lib/db/connection/pool';
import { cancelJob } from '#lib/db/engine/cancel-job';
import { finishRun, runsToFinish } from '#lib/db/engine/finish-run';
import { resumeOrchestration, submitOrchestration } from '#lib/db/engine/orchestrations';
import { JobRepository } from '#lib/db/read/jobs';
import { dyingPool } from '#lib/db/testing/dying-pool';
import { aTeam } from '#lib/db/testing/run-fixture';
import { settleRun, type Outcome } from '#lib/db/testing/settled-run';
import { deleteRun } from '#lib/db/upkeep/delete-run';
import { newId } from '#lib/runtime/ids';
import { connectRedis } from '#lib/runtime/redis';
import { Orchestrator } from '../control/orchestrate.js';
import { gateSteps } from './gate-steps.js';

let pool: Pool;
let locks: Pool;
let redis: Redis;
let drop: () => Promise<void>;
beforeAll(async () => {
  const [database, { url, close }] = [await createDatabase(), await createRedis()];
  [pool, locks] = [createPool(database.url, 10), createPool(database.url, 10)];
  redis = connectRedis(url, 'producer', pino({ level: 'silent' }));
  drop = async () => {
    await Promise.all([pool.end(), locks.end(), redis.quit()]);
    await Promise.all([database.drop(), close()]);
  };
});
afterAll(() => drop());

const never = new AbortController().signal;
const rows = async (text: string, values: unknown[]): Promise<any[]> => (await pool.query(text, values)).rows;

/** What a worker process does for gate runs. */
const aWorker = (db = pool): Orchestrator =>
  new Orchestrator({
    pool: db,
    locks: db === pool ? locks : db,
    redis,
    nextSteps: { gate: gateSteps(db) },
    onChildren: () => {},
    onMoreToDo: () => {},
  });

/** A child run: what it was made for, and how many cases it has. */
interface Child {
  id: string;
  step: string;
  arm: string;
  cases: number;
}
type Replies = (child: Child) => Outcome[];
/** So many cases that were right, of these. */
const right = (count: number, { cases }: Pick<Child, 'cases'>): Outcome[] =>
  Array.from({ length: cases }, (_, n) => Number(n < count));
const allRight: Replies = (child) => right(child.cases, child);
const CASES = 60;

interface Asked extends Partial<Omit<GateInput, 'baseline'>> {
  cases?: number;
  /** How many cases of the baseline were right; null: the gate has no baseline. */
  baseline?: number | null;
  maxRequests?: number | null;
  /** A run to measure that is there already, with so many cases that were right. */
  given?: number;
}

/** A gate run, submitted and not begun. */
async function aGateRun({ cases = CASES, baseline = cases, maxRequests = null, given, ...rules }: Asked = {}) {
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
  const [provider] = await rows('SELECT id FROM provider WHERE team_id = $1', [teamId]);
  const target = { providerId: provider.id, providerKey: 'sim', modelId: 'a', laneId: team.laneId };
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
    teamId,
    userId,
    id,
    jobId,
    gateId,
    baselineId,
    children,
    job: async () => jobs.read(await jobIdNow()),
    /** Lets this worker make the steps that can be made now. */
    async step(db = pool): Promise<void> {
      const worker = aWorker(db);
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

describe('a gate run', () => {
  it('makes the run, looks at it, and passes at the first look that decides', async () => {
    const gate = await aGateRun({ cases: 200, margin: 0.05 });
    const { answer, looks } = await gate.end();
    expect(answer).toMatchObject({ result: 'pass', look: { number: 1, planned: 4, alpha: 0.016, final: false } });
    expect(looks).toMatchObject([{ look: 1, samples: [1, 1], result: 'pass' }]);
    expect(await gate.children()).toMatchObject([{ step: 'run', arm: 'candidate', status: 'completed' }]);
    expect(await gate.job()).toMatchObject({ status: 'completed', progress: { done: 200, total: 200, percent: 100 } });
    expect((await gate.log()).map(([name]) => name)).toEqual([
      'job_created',
      'gate_look',
      'gate_complete',
      'job_completed',
    ]);
    expect(await gate.looks()).toHaveLength(1);
  });

  it('doubles the samples of both sides while a look cannot tell, and fails when it can', async () => {
    const gate = await aGateRun({ looks: 3 });
    // Four cases of sixty are lost: one look cannot tell, and no more samples make it less.
    const { answer, looks } = await gate.end((child) =>
      right(child.arm === 'candidate' ? child.cases - (child.step === 'run' ? 4 : 12) : child.cases, child),
    );
    expect(answer.result).toBe('fail');
    expect(looks.map(({ look, result, samples }: any) => [look, result, samples])).toEqual([
      [1, 'inconclusive', [1, 1]],
      [2, 'fail', [2, 2]],
    ]);
    const [run, ...added] = await gate.children();
    expect(added).toMatchObject([
      { step: 'look-2', arm: 'candidate', samples: 1, extends_run_id: run!.id },
      { step: 'look-2', arm: 'baseline', samples: 1, extends_run_id: gate.baselineId },
    ]);
  });

  it('has no look left after the last one, and says how many more cases could tell', async () => {
    const gate = await aGateRun({ cases: 10, looks: 2 });
    const { answer, looks } = await gate.end();
    expect(looks.map(({ look, result }: any) => [look, result])).toEqual([
      [1, 'inconclusive'],
      [2, 'inconclusive'],
    ]);
    expect(answer.look).toMatchObject({ number: 2, final: true });
    expect(answer.targets[0].cases_needed).toBeGreaterThan(10);
  });

  it('stops when no number of samples could decide', async () => {
    const gate = await aGateRun({ cases: 10, looks: 4 });
    const { looks } = await gate.end();
    expect(looks).toHaveLength(2);
    expect(looks[1].text).toMatch(/more samples cannot decide/i);
  });

  it('asks no model without a baseline, and is never green', async () => {
    const gate = await aGateRun({ baseline: null });
    const { answer } = await gate.end();
    expect(answer).toMatchObject({ result: 'not_measured', eval_id: null, look: { number: 0 } });
    expect(await gate.children()).toEqual([]);
    expect(await gate.job()).toMatchObject({ status: 'completed' });
    const deleted = await aGateRun();
    expect(await deleteRun(pool, { teamId: deleted.teamId, runId: deleted.baselineId! })).toBe('deleted');
    expect((await deleted.end()).answer.result).toBe('not_measured');
    expect(await deleted.children()).toEqual([]);
  });

  it('that measures a run that is there only adds samples to it', async () => {
    const gate = await aGateRun({ given: CASES - 4, looks: 2 });
    const { answer } = await gate.end();
    expect(answer.look.number).toBe(2);
    expect((await gate.children()).map(({ step, arm }) => [step, arm])).toEqual([
      ['look-2', 'candidate'],
      ['look-2', 'baseline'],
    ]);
  });

  it('gets three samples of a critical case that seems broken, and goes by those', async () => {
    const brokenFirst: Replies = (child) =>
      Array.from({ length: child.cases }, (_, n) => Number(child.arm === 'baseline' || n > 0));
    const unlucky = await aGateRun({ cases: 300, critical_tags: ['vital'] });
    const { answer } = await unlucky.end((child) => (child.step === 'run' ? brokenFirst(child) : allRight(child)));
    expect(answer).toMatchObject({ result: 'pass', look: { number: 1 } });
    expect((await unlucky.children()).slice(1)).toMatchObject([
      { step: 'confirm-1', arm: 'candidate', cases: 1, samples: 2 },
      { step: 'confirm-1', arm: 'baseline', cases: 1, samples: 2 },
    ]);
    const broken = await aGateRun({ cases: 300, critical_tags: ['vital'] });
    expect((await broken.end(brokenFirst)).answer).toMatchObject({
      result: 'fail',
      targets: [{ reason: 'critical', critical: [{ position: 0, samples: [3, 3], confirmed: true }] }],
    });
  });

  it('stops before a look that its budget does not hold, with the answer of the last one', async () => {
    const gate = await aGateRun({ maxRequests: CASES + 2 * CASES - 1 });
    const { answer, looks } = await gate.end((child) => right(child.arm === 'candidate' ? 56 : 60, child));
    expect(looks).toHaveLength(1);
    expect(answer.result).toBe('inconclusive');
    expect(answer.notes.join()).toContain(`Another look would take ${2 * CASES} requests more; ${CASES} of`);
    expect(await gate.job()).toMatchObject({ status: 'completed' });
  });

  it('whose budget is spent within a run says so, and can be resumed with a larger one', async () => {
    const gate = await aGateRun({ cases: 200 });
    const { teamId, userId } = gate;
    await gate.step();
    const [run] = await gate.children();
    await pool.query(`UPDATE run SET status = 'budget_exceeded' WHERE id = $1`, [run!.id]);
    await pool.query(
      `UPDATE job SET status = 'budget_exceeded', detail = '9 of 9 requests are made.'
      WHERE id = (SELECT job_id FROM run WHERE id = $1)`,
      [run!.id],
    );
    await gate.step();
    expect(await gate.job()).toMatchObject({ status: 'budget_exceeded', detail: '9 of 9 requests are made.' });
    expect((await gate.state()).answer).toMatchObject({ result: 'not_measured', targets: [{ reason: 'unfinished' }] });
    await resumeOrchestration(pool, { teamId, userId, jobId: gate.jobId, budget: null });
    expect((await gate.end()).answer.result).toBe('pass');
    expect(await gate.children()).toHaveLength(1);
  });

  it('is not measured while too much errored, and a resume asks that again', async () => {
    const gate = await aGateRun({ cases: 200 });
    const { teamId, userId } = gate;
    const dead: Replies = ({ cases }) => Array.from({ length: cases }, () => null);
    expect((await gate.end(dead)).answer).toMatchObject({ result: 'not_measured' });
    expect(await gate.looks()).toEqual([]);
    await resumeOrchestration(pool, { teamId, userId, jobId: gate.jobId });
    expect((await gate.end()).answer).toMatchObject({ result: 'pass', look: { number: 1 } });
    const { id: jobId } = await gate.job();
    await expect(resumeOrchestration(pool, { teamId, userId, jobId })).rejects.toThrow(/has its answer/);
  });

  it('fails with the reason when the suite is gone, and costs nothing', async () => {
    const gate = await aGateRun();
    await pool.query(`DELETE FROM suite WHERE team_id = $1`, [gate.teamId]);
    await gate.step();
    expect(await gate.job()).toMatchObject({ status: 'failed', error: expect.stringContaining('No suite with id') });
    expect(await gate.children()).toEqual([]);
  });

  it('that is cancelled while a look is made ends cancelled, with no run left under way', async () => {
    const gate = await aGateRun();
    await gate.step();
    await cancelJob(pool, { teamId: gate.teamId, jobId: gate.jobId });
    await gate.step();
    expect(await gate.job()).toMatchObject({ status: 'cancelled' });
    expect(await gate.children()).toMatchObject([{ status: 'cancelled' }]);
  });
});

describe('a worker that is killed', () => {
  it('after any statement of a gate run loses nothing, and repeats nothing', async () => {
    const reference = await storyOf(pool);
    expect(reference).toMatchObject({ looks: [1, 2] });
    let died = true;
    for (let n = 1; died; n++) {
      const process = dyingPool(pool, n);
      expect({ n, ...(await storyOf(process.pool)) }).toEqual({ n, ...reference });
      died = process.died();
      if (died) expect(n).toBeLessThan(300);
      else expect(n).toBeGreaterThan(60);
    }
  }, 300_000);
});

/** How a gate run of two looks ends: in a process with this pool as far as it lives, then in another. */
async function storyOf(db: Pool) {
  const gate = await aGateRun({ cases: 20, looks: 2, margin: 0.3, critical_tags: ['vital'] });
  const replies: Replies = (child) =>
    Array.from({ length: child.cases }, (_, n) =>
      Number(child.arm === 'baseline' || child.step !== 'run' || (n > 0 && n < 12)),
    );
  for (let turn = 0; turn < 6; turn++) {
    await gate.step(db).catch(() => {});
    await gate.reply(replies);
  }
  const { answer, looks } = await gate.end(replies);
  const children = await gate.children();
  return {
    result: answer.result,
    text: answer.text,
    looks: looks.map(({ look }: { look: number }) => look),
    stored: (await gate.looks()).map(({ look }) => look),
    children: children.map(({ step, arm, samples, cases, status }) => ({ step, arm, samples, cases, status })),
    log: (await gate.log()).map(([name]) => name),
    progress: (await gate.job()).progress,
    unfinished: await rows(`SELECT 1 FROM job WHERE team_id = $1 AND finished_at IS NULL`, [gate.teamId]),
  };
}
