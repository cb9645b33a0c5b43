import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { createDatabase, createRedis } from '../../../test/services.js';
import { ProblemError } from '#lib/contracts/input/problem';
import { createPool, type Pool } from '#lib/db/connection/pool';
import { submitOrchestration } from '#lib/db/engine/orchestrations';
import { JobRepository } from '#lib/db/read/jobs';
import { aTeam } from '#lib/db/testing/run-fixture';
import { newId } from '#lib/runtime/ids';
import { connectRedis } from '#lib/runtime/redis';
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
  return { id, teamId, jobId, job: () => new JobRepository(pool, teamId).read(jobId) };
}

/** Lets a worker make the steps that it can make now. @returns what they threw */
function aWorker(next: NextStep) {
  const orchestrator = new Orchestrator({
    pool,
    locks: pool,
    redis,
    nextSteps: { gate: next },
    onChildren: () => {},
    onMoreToDo: () => {},
  });
  return async (): Promise<string[]> => {
    const found = await orchestrator.toAdvance();
    const turns = await Promise.allSettled(found.map((one) => orchestrator.advance(one, never)));
    return turns.flatMap((turn) => (turn.status === 'rejected' ? [(turn.reason as Error).message] : []));
  };
}

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
