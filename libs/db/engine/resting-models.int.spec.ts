import { createDatabase } from '../../../test/services.js';
import { until } from '../../../test/until.js';
import { createPool, type Pool } from '../connection/pool.js';
import { createTeam, settlementOf } from '../testing/run-fixture.js';
import { cancelJob } from './cancel-job.js';
import { claimItems } from './claim-items.js';
import { dispatchLane, type Delivery, type LeveledDelivery } from './dispatch-lane.js';
import { finishRun, finishTarget, runsToFinish, targetsToFinish } from './finish-run.js';
import { prepareRun } from './prepare-run.js';
import { reconcileLane } from './reconcile-lane.js';
import { endRest, putBack, restModel, unaskableTargets } from './resting-models.js';
import { resumeRun } from './resume-run.js';
import { setWaitReason } from './set-wait-reason.js';
import { settleItems } from './settle-items.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 10)));
afterAll(() => pool.end());

type Team = Awaited<ReturnType<typeof createTeam>>;
const HOUR_MS = 60 * 60_000;
const ASKED = {
  forMs: 11 * HOUR_MS,
  why: 'sim answered 429: 50 a day',
  accessVersion: 1,
};
const itemsOf = (deliveries: readonly Delivery[]) => deliveries.map(({ item }) => item);
const dispatch = ({ laneId }: Team) => dispatchLane(pool, laneId, 100);

/** Claims all items of the lane; one is refused, and all are put back. */
async function refuse(deliveries: readonly LeveledDelivery[], asked = ASKED): Promise<void> {
  await claimItems(pool, 'w', deliveries);
  await restModel(pool, deliveries[0]!, asked);
  for (const delivery of deliveries) await putBack(pool, 'w', delivery);
}
const timeComes = ({ teamId }: Team) =>
  pool.query(
    `UPDATE resting_model SET until = now() - interval '1 s'
     WHERE provider_id IN (SELECT id FROM provider WHERE team_id = $1)`,
    [teamId],
  );
const target = async (runId: string, ordinal = 0) =>
  (
    await pool.query('SELECT cursor, n, settled, errored, requests FROM target WHERE run_id = $1 AND ordinal = $2', [
      runId,
      ordinal,
    ])
  ).rows[0];
const detailOf = async ({ laneId }: Team, jobId: string, what?: string): Promise<string | null> => {
  await setWaitReason(pool, { id: laneId }, what);
  return (await pool.query<{ detail: string | null }>('SELECT detail FROM job WHERE id = $1', [jobId])).rows[0]!.detail;
};
async function settleAll(team: Team, deliveries: readonly Delivery[]): Promise<void> {
  await claimItems(pool, 'w', deliveries);
  await settleItems(
    pool,
    deliveries.map((one) => settlementOf(one)),
  );
}

describe('a model whose provider asked for a wait of hours', () => {
  it('rests until then, is probed with one item, and continues without losing any', async () => {
    const team = await createTeam(pool, { cases: 6 });
    const { runId, jobId } = await team.submit();
    await refuse(await dispatch(team));
    expect(await dispatch(team)).toEqual([]);
    expect(await target(runId)).toEqual({ cursor: 6, n: 6, settled: 0, errored: 0, requests: 0 });
    expect(await detailOf(team, jobId)).toMatch(
      /^Waiting for sim::a until \d{4}-\d\d-\d\d \d\d:\d\d UTC: sim answered 429: 50 a day$/,
    );
    await timeComes(team);
    const tried = await dispatch(team);
    expect(itemsOf(tried)).toEqual([0]);
    expect(await dispatch(team)).toEqual([]);
    await settleAll(team, tried);
    const others = await dispatch(team);
    expect(itemsOf(others).sort()).toEqual([1, 2, 3, 4, 5]);
    expect(await detailOf(team, jobId)).toBeNull();
    await settleAll(team, others);
    expect(await target(runId)).toMatchObject({ settled: 6, errored: 0 });
  });

  it('loses no item that is released while the last items of its target are dispatched', async () => {
    const team = await createTeam(pool, { cases: 2 });
    const { runId } = await team.submit();
    const [first] = await dispatchLane(pool, team.laneId, 1);
    await claimItems(pool, 'w', [first!]);
    const other = await pool.connect();
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM target WHERE run_id = $1 FOR UPDATE', [runId]);
    const isWaitedFor = (one: Promise<unknown>, count: number) =>
      Promise.race([
        one,
        until(async () => {
          const { rows } = await pool.query(
            `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          );
          return rows.length === count;
        }),
      ]);
    const givenUp = putBack(pool, 'w', first!);
    await isWaitedFor(givenUp, 1);
    const dispatched = dispatch(team);
    await isWaitedFor(dispatched, 2);
    await other.query('COMMIT');
    other.release();
    await givenUp;
    expect(itemsOf([...(await dispatched), ...(await dispatch(team))]).sort()).toEqual([0, 1]);
  });

  it('that still refuses then is probed once and rests again', async () => {
    const team = await createTeam(pool, { cases: 6 });
    await team.submit();
    await refuse(await dispatch(team));
    await timeComes(team);
    const tried = await dispatch(team);
    expect(tried).toHaveLength(1);
    await refuse(tried);
    expect(await dispatch(team)).toEqual([]);
    await timeComes(team);
    expect(itemsOf(await dispatch(team))).toEqual([0]);
  });

  it('rests for later runs as well, and only one item of all runs probes it', async () => {
    const team = await createTeam(pool, { cases: 2 });
    await team.submit();
    await refuse(await dispatch(team));
    const later = await team.submit();
    expect(await dispatch(team)).toEqual([]);
    expect(await detailOf(team, later.jobId)).toMatch(/^Waiting for sim::a until/);
    await timeComes(team);
    expect(await dispatch(team)).toHaveLength(1);
    expect(await dispatch(team)).toEqual([]);
  });

  it('does not affect other models of its run and its lane', async () => {
    const team = await createTeam(pool, { cases: 2 });
    const { jobId } = await team.submit({ models: ['a', 'b', 'a'], model_order: 'sequential' });
    await refuse(await dispatch(team));
    const ofB = await dispatch(team);
    expect(ofB.map((one) => one.target)).toEqual([1, 1]);
    expect(await detailOf(team, jobId)).toMatch(/^Waiting for sim::a until/);
    expect(await detailOf(team, jobId, 'since then: down.')).toMatch(/^Waiting for sim::a until/);
  });

  it('is named in the detail while the lane of the other models of its run is not blocked', async () => {
    const team = await createTeam(pool, { cases: 2 });
    const { jobId } = await team.submit({ models: ['a', 'b'] });
    await refuse((await dispatchLane(pool, team.laneId, 1)).filter((one) => one.target === 0));
    expect(await detailOf(team, jobId)).toMatch(/^Waiting for sim::a until/);
    expect(await detailOf(team, jobId, 'since then: down.')).toBe('Waiting for sim since then: down.');
    expect(await detailOf(team, jobId)).toMatch(/^Waiting for sim::a until/);
  });

  it('of another team with the same address continues', async () => {
    const [team, other] = [await createTeam(pool), await createTeam(pool)];
    await team.submit();
    await other.submit();
    await refuse(await dispatch(team));
    expect(await dispatch(other)).toHaveLength(4);
  });

  it('continues immediately when its provider replied or has another key; a late refusal changes nothing', async () => {
    const team = await createTeam(pool);
    const { runId } = await team.submit();
    const deliveries = await dispatch(team);
    await refuse(deliveries);
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM provider WHERE team_id = $1', [team.teamId]);
    await endRest(pool, rows[0]!.id, 'b');
    expect(await dispatch(team)).toEqual([]);
    await endRest(pool, rows[0]!.id, 'a');
    expect(await dispatch(team)).toHaveLength(4);
    const change = (columns: string) => pool.query(`UPDATE provider SET ${columns} WHERE team_id = $1`, [team.teamId]);
    await change(`sealed_key = 'new'`);
    await restModel(pool, { runId, target: 0 }, ASKED);
    expect(await unaskableTargets(pool, [{ runId, target: 0 }])).toEqual([]);
    // Sealed again, it is the same key; another header is another credential.
    await change(`sealed_key = 'sealed again', resealed_at = now()`);
    await restModel(pool, { runId, target: 0 }, { ...ASKED, accessVersion: 2 });
    expect(await unaskableTargets(pool, [{ runId, target: 0 }])).toHaveLength(1);
    await endRest(pool, rows[0]!.id, 'a');
    await change(`sealed_headers = 'new'`);
    await restModel(pool, { runId, target: 0 }, { ...ASKED, accessVersion: 2 });
    expect(await unaskableTargets(pool, [{ runId, target: 0 }])).toEqual([]);
  });

  it('is not asked for items queued earlier, nor for items that crashed a process meanwhile', async () => {
    const team = await createTeam(pool);
    const { runId } = await team.submit();
    const [asked, ofDead, queued] = await dispatch(team);
    await claimItems(pool, 'w', [asked!]);
    await claimItems(pool, 'dead', [ofDead!]);
    await restModel(pool, asked!, ASKED);
    expect(await claimItems(pool, 'w', [queued!])).toMatchObject([{ isUnaskable: true }]);
    await pool.query(
      `UPDATE in_flight SET lease_until = now() - interval '1 s' WHERE run_id = $1 AND worker = 'dead'`,
      [runId],
    );
    const { redeliver } = await reconcileLane(pool, team.laneId, 'w', true, async () => []);
    expect(await claimItems(pool, 'w', redeliver)).toMatchObject([{ isUnaskable: true }]);
    expect(await unaskableTargets(pool, [asked!])).toEqual([asked]);
  });

  it('leaves nothing behind in a run that is cancelled meanwhile, and a resume waits for the model', async () => {
    const team = await createTeam(pool);
    const { runId, jobId } = await team.submit();
    const deliveries = await dispatch(team);
    await claimItems(pool, 'w', deliveries);
    await restModel(pool, deliveries[0]!, ASKED);
    await putBack(pool, 'w', deliveries[0]!);
    await cancelJob(pool, { teamId: team.teamId, jobId });
    await putBack(pool, 'w', deliveries[1]!);
    expect(await dispatch(team)).toEqual([]);
    for (const done of await targetsToFinish(pool)) await finishTarget(pool, done, { target: 'sim::a' } as never);
    for (const run of await runsToFinish(pool)) await finishRun(pool, run);
    const resumed = await resumeRun(pool, { teamId: team.teamId, userId: team.userId, tokenId: null, runId });
    await prepareRun(pool, { id: runId });
    expect(await detailOf(team, resumed.jobId)).toMatch(/^Waiting for sim::a until/);
    expect(await dispatch(team)).toEqual([]);
  });

  it('takes an item back once, only from the worker that holds it', async () => {
    const team = await createTeam(pool);
    const { runId } = await team.submit();
    const [one] = await dispatch(team);
    await claimItems(pool, 'w', [one!]);
    await putBack(pool, 'another', one!);
    expect((await pool.query('SELECT 1 FROM redo WHERE run_id = $1', [runId])).rowCount).toBe(0);
    await putBack(pool, 'w', one!);
    await putBack(pool, 'w', one!);
    expect((await pool.query('SELECT item FROM redo WHERE run_id = $1', [runId])).rows).toEqual([{ item: one!.item }]);
  });
});
