import { pino } from 'pino';
import { ProblemError } from '#lib/contracts/input/problem';
import { LeaseExpired } from '#lib/db/connection/lease';
import { setQuotas } from '#lib/db/catalogue/quotas';
import { createPool, inTransaction, type Pool } from '#lib/db/connection/pool';
import { cancelJob } from '#lib/db/engine/cancel-job';
import { submitOrchestration } from '#lib/db/engine/orchestrations';
import { resumeOrchestration } from '#lib/db/engine/resume-orchestration';
import { JobRepository } from '#lib/db/read/jobs';
import { createParent } from '#lib/db/testing/parent-fixture';
import { createTeam } from '#lib/db/testing/run-fixture';
import { newId } from '#lib/runtime/ids';
import { connectRedis, type Redis } from '#lib/runtime/redis';
import { createDatabase, createRedis } from '../../../test/services.js';
import { inProcessComparer } from '../../../test/in-process-comparer.js';
import type { NextStep } from './kind.js';
import { Orchestrator } from './orchestrate.js';

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

/** An orchestration with its own team. */
async function anOrchestration() {
  const { teamId, userId } = await createTeam(pool);
  const of = { type: 'gate' as const, subjectId: newId(), step: 'first', input: {}, total: 0 };
  const by = { teamId, userId, tokenId: null };
  const { id, jobId } = await submitOrchestration(pool, { ...of, ...by, maxRequests: null, maxCostUsd: null });
  return { id, ...by, jobId, job: () => new JobRepository(pool, teamId).read(jobId) };
}

const anOrchestrator = (nextStep: NextStep, leaseMs?: number): Orchestrator =>
  new Orchestrator({
    pool,
    redis,
    kinds: [{ type: 'gate', nextStep }],
    steps: { pool, comparing: inProcessComparer(pool) },
    onChildren: () => {},
    onMoreToDo: () => {},
    leaseMs,
  });

/** Lets a worker make the steps that are ready now. @returns what they threw */
function aWorker(next: NextStep) {
  const orchestrator = anOrchestrator(next);
  return async (): Promise<string[]> => {
    const found = await orchestrator.toAdvance();
    const turns = await Promise.allSettled(found.map((one) => orchestrator.advance(one, never)));
    return turns.flatMap((turn) => (turn.status === 'rejected' ? [(turn.reason as Error).message] : []));
  };
}

it('a step that fails repeatedly says so in its job and finally ends it; lost connections do not', async () => {
  const { id, teamId, userId, jobId, job } = await anOrchestration();
  let failure = new Error('The thread took more than 60 s');
  const orchestrator = anOrchestrator(() => Promise.reject(failure));
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

  // Failures before the resume do not count.
  const resumed = await resumeOrchestration(pool, { teamId, userId, tokenId: null, jobId });
  await fail(2, resumed.jobId);
  expect(await new JobRepository(pool, teamId).read(resumed.jobId)).toMatchObject({ status: 'queued', detail: null });
});

it.each([
  [
    'is cancelled',
    ({ teamId, jobId }: Awaited<ReturnType<typeof anOrchestration>>) => cancelJob(pool, { teamId, jobId }),
  ],
  ['another process makes', () => pool.query('UPDATE lease SET holder = gen_random_uuid()')],
])('a step that %s stops where it is, without failing its job', async (_what, end) => {
  const one = await anOrchestration();
  const began = Promise.withResolvers<void>();
  const untilStopped: NextStep = ({ signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      began.resolve();
    });
  const orchestrator = anOrchestrator(untilStopped, 150);
  const step = orchestrator.advance({ orchestrationId: one.id, ...one }, never);
  await began.promise;
  await end(one);
  await expect(step).rejects.toThrow(LeaseExpired);
  expect(await one.job()).toMatchObject({ detail: null, error: null });
});

it('a job that is cancelled while it waits for other steps of its team takes no step', async () => {
  const { id, teamId, jobId } = await anOrchestration();
  const steps: string[] = [];
  const orchestrator = anOrchestrator(async ({ orchestration }) => (steps.push(orchestration.id), done));
  const found = (await orchestrator.toAdvance()).filter(({ orchestrationId }) => orchestrationId === id);
  expect(found).toHaveLength(1);
  await cancelJob(pool, { teamId, jobId });
  for (const one of found) await orchestrator.advance(one, never);
  expect(steps).toEqual([]);
});

it('a step that throws is retried later; steps of other teams continue', async () => {
  const [broken, sound] = [await anOrchestration(), await anOrchestration()];
  let isBroken = true;
  const next: NextStep = async ({ orchestration: { id } }) => {
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

it('an obstacle fails the job, which states the reason', async () => {
  const gone = await anOrchestration();
  const turn = aWorker(async () => {
    throw new ProblemError(422, 'The model is gone. Add it again.');
  });
  expect(await turn()).toEqual([]);
  expect(await gone.job()).toMatchObject({ status: 'failed', error: 'The model is gone. Add it again.' });
});

it('a parent that would make more items than are left of the day stops, and goes on when it is resumed', async () => {
  const parent = await createParent(pool, { cases: 4 });
  const { teamId, userId, id, jobId } = parent;
  const job = () => new JobRepository(pool, teamId).read(jobId);
  const allow = (items_a_day: number) => inTransaction(pool, (on) => setQuotas(on, teamId, { items_a_day }));
  const orchestrator = anOrchestrator(() =>
    Promise.resolve({ state: { seen: true }, next: 'second', children: [parent.child('a'), parent.child('b')] }),
  );
  const advance = (of: string) => orchestrator.advance({ orchestrationId: id, teamId, jobId: of }, never);
  await allow(7);
  await advance(jobId);
  expect(await job()).toMatchObject({
    status: 'budget_exceeded',
    detail: expect.stringMatching(/^The quota of the team for items a day is reached: 0 of 7 are used/),
  });
  const by = { teamId, userId, tokenId: null };
  await allow(0);
  await expect(resumeOrchestration(pool, { ...by, jobId })).rejects.toMatchObject({ code: 'quota_reached' });
  await allow(8);
  const resumed = await resumeOrchestration(pool, { ...by, jobId });
  await advance(resumed.jobId);
  const { rows } = await pool.query('SELECT items FROM team_day WHERE team_id = $1', [teamId]);
  expect([(await parent.read()).children.length, rows]).toEqual([2, [{ items: 8 }]]);
});
