import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { ProblemError } from '#lib/contracts/input/problem';
import { JudgeSettingRepository } from '#lib/judge/rows/judge-settings';
import { LeaseExpired } from '#lib/db/connection/lease';
import { createPool, type Pool } from '#lib/db/connection/pool';
import { cancelJob } from '#lib/db/engine/cancel-job';
import { finishRun, runsToFinish } from '#lib/db/engine/finish-run';
import { judgeFinishedRun, noteForJudge, runsToJudge } from '#lib/judge/rows/judge-of-run';
import { submitOrchestration } from '#lib/db/engine/orchestrations';
import { resumeOrchestration } from '#lib/db/engine/resume-orchestration';
import { JobRepository } from '#lib/db/read/jobs';
import { dyingPool } from '#lib/db/testing/dying-pool';
import { aTeam } from '#lib/db/testing/run-fixture';
import { settleRun } from '#lib/db/testing/settled-run';
import { deleteRun } from '#lib/db/upkeep/delete-run';
import { newId } from '#lib/runtime/ids';
import { connectRedis } from '#lib/runtime/redis';
import { someoneWaits } from '../../../test/lock-wait.js';
import { createDatabase, createRedis } from '../../../test/services.js';
import { Orchestrator, type NextStep } from './orchestrate.js';

let pool: Pool;
let redis: Redis;
let drop: () => Promise<void>;
beforeAll(async () => {
  const [database, { url, close }] = [await createDatabase(), await createRedis()];
  pool = createPool(database.url, 10);
  redis = connectRedis(url, 'producer', pino({ level: 'silent' }));
  drop = async () => {
    await Promise.all([pool.end(), redis.quit()]);
    await Promise.all([database.drop(), close()]);
  };
});
afterAll(() => drop());

const never = new AbortController().signal;
const done = { state: {}, next: null, end: { status: 'completed' as const } };

/** An orchestration of a team of its own. */
async function anOrchestration() {
  const { teamId, userId } = await aTeam(pool);
  const of = { teamId, userId, type: 'gate' as const, subjectId: newId(), step: 'first', input: {}, total: 0 };
  const { id, jobId } = await submitOrchestration(pool, { ...of, maxRequests: null, maxCostUsd: null });
  return { id, teamId, userId, jobId, job: () => new JobRepository(pool, teamId).read(jobId) };
}

const anOrchestrator = (nextSteps: Record<string, NextStep> = {}, leaseMs?: number): Orchestrator =>
  new Orchestrator({ pool, redis, nextSteps, onChildren: () => {}, onMoreToDo: () => {}, leaseMs });

/** Lets a worker make the steps that it can make now. @returns what they threw */
function aWorker(next: NextStep) {
  const orchestrator = anOrchestrator({ gate: next });
  return async (): Promise<string[]> => {
    const found = await orchestrator.toAdvance();
    const turns = await Promise.allSettled(found.map((one) => orchestrator.advance(one, never)));
    return turns.flatMap((turn) => (turn.status === 'rejected' ? [(turn.reason as Error).message] : []));
  };
}

it('a step that fails again and again says so in its job, and ends it at last; lost connections do not', async () => {
  const { id, teamId, userId, jobId, job } = await anOrchestration();
  let failure = new Error('The thread took more than 60 s');
  const orchestrator = anOrchestrator({ gate: () => Promise.reject(failure) });
  const fail = async (times: number, of = jobId): Promise<void> => {
    for (let n = 0; n < times; n++)
      await expect(orchestrator.advance({ orchestrationId: id, teamId, jobId: of }, never)).rejects.toThrow(
        failure.message,
      );
  };
  await fail(2);
  expect(await job()).toMatchObject({ status: 'queued', detail: null });
  await fail(1);
  expect(await job()).toMatchObject({ detail: expect.stringMatching(/failed 3 times.* took more than 60 s\.$/) });
  const lasting = failure;
  failure = Object.assign(new Error('terminating connection'), { code: '57P01' });
  await fail(8);
  expect(await job()).toMatchObject({ status: 'queued', detail: expect.stringMatching(/failed 3 times/) });
  failure = lasting;
  await fail(6);
  expect(await job()).toMatchObject({ status: 'queued', detail: expect.stringMatching(/failed 9 times/) });
  await fail(1);
  expect(await job()).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/10 times.*60 s\. Resume the job/),
  });

  // What failed before it was resumed does not count.
  const resumed = await resumeOrchestration(pool, { teamId, userId, jobId });
  await fail(2, resumed.jobId);
  expect(await new JobRepository(pool, teamId).read(resumed.jobId)).toMatchObject({ status: 'queued', detail: null });
});

it.each([
  [
    'is cancelled',
    ({ teamId, jobId }: Awaited<ReturnType<typeof anOrchestration>>) => cancelJob(pool, { teamId, jobId }),
  ],
  ['another process makes', () => pool.query('UPDATE lease SET holder = gen_random_uuid()')],
])('a step that %s ends where it stands, which is no failure of its job', async (_what, end) => {
  const one = await anOrchestration();
  const began = Promise.withResolvers<void>();
  const untilStopped: NextStep = (_orchestration, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      began.resolve();
    });
  const orchestrator = anOrchestrator({ gate: untilStopped }, 150);
  const step = orchestrator.advance({ orchestrationId: one.id, ...one }, never);
  await began.promise;
  await end(one);
  await expect(step).rejects.toThrow(LeaseExpired);
  expect(await one.job()).toMatchObject({ detail: null, error: null });
});

it('what is cancelled while it waits for the other steps of its team makes no step', async () => {
  const { id, teamId, jobId } = await anOrchestration();
  const steps: string[] = [];
  const orchestrator = anOrchestrator({ gate: async (one) => (steps.push(one.id), done) });
  const found = (await orchestrator.toAdvance()).filter(({ orchestrationId }) => orchestrationId === id);
  expect(found).toHaveLength(1);
  await cancelJob(pool, { teamId, jobId });
  for (const one of found) await orchestrator.advance(one, never);
  expect(steps).toEqual([]);
});

it('a step that throws is left alone for a while, and made later; those of other teams go on', async () => {
  const [broken, sound] = [await anOrchestration(), await anOrchestration()];
  let isBroken = true;
  const next: NextStep = async ({ id }) => {
    if (id === broken.id && isBroken) throw new Error('no such luck');
    return done;
  };
  const turn = aWorker(next);
  expect(await turn()).toEqual(['no such luck']);
  expect(await sound.job()).toMatchObject({ status: 'completed' });
  expect(await turn()).toEqual([]);
  expect(await broken.job()).toMatchObject({ status: 'queued' });
  isBroken = false;
  expect(await aWorker(next)()).toEqual([]);
  expect(await broken.job()).toMatchObject({ status: 'completed' });
});

it('a reason why it cannot go on fails the job, which says so', async () => {
  const gone = await anOrchestration();
  const turn = aWorker(async () => {
    throw new ProblemError(422, 'The model is gone. Add it again.');
  });
  expect(await turn()).toEqual([]);
  expect(await gone.job()).toMatchObject({ status: 'failed', error: 'The model is gone. Add it again.' });
});

describe('a run that has ended', () => {
  /** A run of a team with a judge, in which an item failed. */
  async function aFailedRun() {
    const team = await aTeam(pool);
    await new JudgeSettingRepository(pool, team.teamId).set({ judge: 'sim::judge', instructions: '', auto_below: 1 });
    const { runId, jobId } = await team.submit();
    await settleRun(pool, runId, [1, 0, 0, 0]);
    return {
      ...team,
      runId,
      jobId,
      finish: async () => {
        for (const run of await runsToFinish(pool)) if (run.id === runId) await finishRun(pool, run);
      },
      status: async () => (await new JobRepository(pool, team.teamId).read(jobId)).status,
      reports: async () => (await pool.query('SELECT source FROM judge_report WHERE run_id = $1', [runId])).rows,
      warnings: async () => (await pool.query('SELECT code, message FROM run_warning WHERE run_id = $1', [runId])).rows,
      isNoted: async () => (await runsToJudge(pool, [])).some(({ id }) => id === runId),
    };
  }
  const judge = (orchestrator: Orchestrator) =>
    orchestrator.toJudge().then((runs) => Promise.allSettled(runs.map((run) => orchestrator.judge(run))));

  it.each([
    [
      'its own judge',
      (id: string) => pool.query(`UPDATE run SET config = '{"judge":{"below":7}}' WHERE id = $1`, [id]),
    ],
    [
      'the judge of its team',
      (id: string) =>
        pool.query(`UPDATE judge_setting SET judge = '' WHERE team_id = (SELECT team_id FROM run WHERE id = $1)`, [id]),
    ],
  ])('ends though %s cannot be read, and says so; others are judged', async (_what, spoil) => {
    const [spoilt, sound] = [await aFailedRun(), await aFailedRun()];
    await spoil(spoilt.runId);
    await Promise.all([spoilt.finish(), sound.finish()]);
    expect([await spoilt.status(), await sound.status()]).toEqual(['completed', 'completed']);
    await judge(anOrchestrator());
    expect([await spoilt.reports(), await sound.reports()]).toEqual([[], [{ source: 'auto' }]]);
    expect(await spoilt.warnings()).toEqual([
      { code: 'not_judged', message: expect.stringMatching(/^The run was not judged by itself\. .* cannot be read: /) },
    ]);
    expect([await spoilt.isNoted(), await sound.isNoted()]).toEqual([false, false]);
  });

  it('is judged by what somebody else who has resumed it makes of it, also when that ends just then', async () => {
    const run = await aFailedRun();
    await run.finish();
    const other = await aTeam(pool); // who resumes it holds another user
    await pool.query(`UPDATE run SET status = 'running' WHERE id = $1`, [run.runId]);
    const ending = await pool.connect();
    await ending.query('BEGIN');
    await ending.query(`UPDATE run SET status = 'completed', user_id = $2 WHERE id = $1`, [run.runId, run.userId]);
    await noteForJudge(ending, run.runId);
    const judging = judgeFinishedRun(pool, { ...run, userId: other.userId, id: run.runId });
    await Promise.race([judging, someoneWaits(pool)]);
    await ending.query('COMMIT');
    ending.release();
    await judging;
    expect(await run.reports()).toEqual([{ source: 'auto' }]);
  });

  it('is judged once, whatever dies; and one that fails otherwise is left alone for a while', async () => {
    const [run, broken] = [await aFailedRun(), await aFailedRun()];
    await pool.query(`UPDATE run SET config = 'no JSON' WHERE id = $1`, [broken.runId]);
    await Promise.all([run.finish(), broken.finish()]);
    for (let n = 1; await run.isNoted(); n++)
      await judgeFinishedRun(dyingPool(pool, n).pool, { ...run, id: run.runId }).catch(() => {});
    expect(await judgeFinishedRun(pool, { ...run, id: run.runId })).toBeUndefined();
    expect(await run.reports()).toEqual([{ source: 'auto' }]);
    const orchestrator = anOrchestrator();
    await judge(orchestrator);
    expect((await orchestrator.toJudge()).map(({ id }) => id)).not.toContain(broken.runId);
    expect([await broken.status(), await broken.isNoted()]).toEqual(['completed', true]);
    await deleteRun(pool, broken);
    expect(await broken.isNoted()).toBe(false);
  });
});
