import { createDatabase } from '../../../test/services.js';
import { createPool, type Pool } from '../connection/pool.js';
import { createTeam, settlementOf } from '../testing/run-fixture.js';
import { cancelJob } from './cancel-job.js';
import { claimItems } from './claim-items.js';
import { dispatchLane, type Delivery } from './dispatch-lane.js';
import { finishRun, finishTarget, runsToFinish, targetsToFinish } from './finish-run.js';
import { prepareRun } from './prepare-run.js';
import { putBack } from './resting-models.js';
import { resumeRun } from './resume-run.js';
import { settleItems } from './settle-items.js';
import { noteModelMissing, settleUnasked, targetsWithUnaskedItems } from './unasked-items.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 10)));
afterAll(() => pool.end());

const MODEL = { name: 'sim::a', baseUrl: 'http://127.0.0.1:1/v1', accessVersion: 1 };
type Team = Awaited<ReturnType<typeof createTeam>>;
const dispatch = ({ laneId }: Team, window: number) => dispatchLane(pool, laneId, window);
async function settle(deliveries: readonly Delivery[], outcome: 'errored' | 'scored', model = MODEL): Promise<void> {
  await claimItems(pool, 'w', deliveries);
  for (const delivery of deliveries) {
    if (outcome === 'errored') await noteModelMissing(pool, delivery, model);
    await settleItems(pool, [settlementOf(delivery, outcome)]);
  }
}
const unaskedOf = async (runId: string) => (await targetsWithUnaskedItems(pool)).filter((one) => one.runId === runId);
const target = async (runId: string) =>
  (await pool.query('SELECT cursor, settled, errored, requests, unasked_why FROM target WHERE run_id = $1', [runId]))
    .rows[0];

it('items of a model that its host lacks are settled without a request, in batches, after three of them', async () => {
  const team = await createTeam(pool, { cases: 24 });
  const { runId, jobId } = await team.submit();
  const deliveries = await dispatch(team, 6);
  await settle(deliveries.slice(0, 2), 'errored');
  expect((await target(runId)).unasked_why).toBeNull();
  await settle(deliveries.slice(2, 4), 'errored');
  expect(await dispatch(team, 100)).toEqual([]);
  expect(await unaskedOf(runId)).toEqual([]);
  // One was claimed and one was queued.
  for (const one of deliveries.slice(4)) {
    expect(await claimItems(pool, 'w', [one])).toMatchObject([{ isUnaskable: true }]);
    await putBack(pool, 'w', one);
  }
  expect(await dispatch(team, 100)).toEqual([]);
  const [unasked] = await unaskedOf(runId);
  for (let pieces = 0; pieces < 4; pieces++) {
    expect(await target(runId)).toMatchObject({ settled: 4 + 6 * Math.min(pieces, 4) });
    await settleUnasked(pool, unasked!, 6);
  }
  expect(await settleUnasked(pool, unasked!, 6)).toBeUndefined();
  expect(await target(runId)).toEqual({
    cursor: 24,
    settled: 24,
    errored: 24,
    requests: 4,
    unasked_why: 'sim::a does not exist at 127.0.0.1:1',
  });
  const { rows } = await pool.query(
    `SELECT count(*)::int AS n, count(DISTINCT (case_position, sample))::int AS places, count(DISTINCT seq)::int AS seqs
     FROM result WHERE run_id = $1`,
    [runId],
  );
  expect(rows).toEqual([{ n: 24, places: 24, seqs: 24 }]);
  expect((await pool.query('SELECT message FROM run_warning WHERE run_id = $1', [runId])).rows).toEqual([
    {
      message: expect.stringMatching(/^sim::a does not exist at 127.0.0.1:1: 20 of 24 items were not asked\. Correct/),
    },
  ]);
  expect((await pool.query('SELECT done, errored FROM job WHERE id = $1', [jobId])).rows).toEqual([
    { done: 24, errored: 24 },
  ]);
  for (const done of await targetsToFinish(pool)) await finishTarget(pool, done, { target: 'sim::a' } as never);
  for (const run of await runsToFinish(pool)) await finishRun(pool, run);
  await resumeRun(pool, { teamId: team.teamId, userId: team.userId, tokenId: null, runId });
  await prepareRun(pool, { id: runId });
  expect(await dispatch(team, 100)).toHaveLength(24);
});

it('a target with a scored item continues', async () => {
  const team = await createTeam(pool, { cases: 10 });
  const { runId } = await team.submit();
  const deliveries = await dispatch(team, 6);
  await settle(deliveries.slice(0, 1), 'scored');
  await settle(deliveries.slice(1), 'errored');
  expect(await target(runId)).toMatchObject({ unasked_why: null });
  expect(await dispatch(team, 100)).toHaveLength(4);
});

it('errors of the previous address do not count when the provider has another address', async () => {
  const team = await createTeam(pool, { cases: 10 });
  const { runId } = await team.submit();
  await settle(await dispatch(team, 6), 'errored', { ...MODEL, accessVersion: 2 });
  expect(await target(runId)).toMatchObject({ unasked_why: null });
});

it('a run that is cancelled meanwhile gets no more such items', async () => {
  const team = await createTeam(pool, { cases: 10 });
  const { runId, jobId } = await team.submit();
  await settle(await dispatch(team, 3), 'errored');
  const [unasked] = await unaskedOf(runId);
  await settleUnasked(pool, unasked!, 2);
  await cancelJob(pool, { teamId: team.teamId, jobId });
  expect(await settleUnasked(pool, unasked!, 2)).toBeUndefined();
  expect(await target(runId)).toMatchObject({ settled: 5 });
  expect(await unaskedOf(runId)).toEqual([]);
});
