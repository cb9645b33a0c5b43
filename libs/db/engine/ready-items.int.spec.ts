import { createDatabase } from '../../../test/services.js';
import { createPool, type Pool } from '../connection/pool.js';
import { hasFleetWork } from '../read/fleet-work.js';
import { createTeam, settlementOf } from '../testing/run-fixture.js';
import { purgeRun, runsToPurge } from '../upkeep/delete-run.js';
import { cancelJob } from './cancel-job.js';
import { claimItems } from './claim-items.js';
import { dispatchLane, type LeveledDelivery } from './dispatch-lane.js';
import { readReadyItems } from './ready-items.js';
import { putBack, restModel } from './resting-models.js';
import { settleItems } from './settle-items.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 4)));
afterAll(() => pool.end());

type Team = Awaited<ReturnType<typeof createTeam>>;
const ready = async ({ laneId }: Team): Promise<number> => (await readReadyItems(pool)).get(laneId) ?? 0;
const dispatch = ({ laneId }: Team, window = 100): Promise<LeveledDelivery[]> => dispatchLane(pool, laneId, window);
async function settleAll(deliveries: readonly LeveledDelivery[]): Promise<void> {
  await claimItems(pool, 'w', deliveries);
  const settlements = deliveries.map((one) => settlementOf(one));
  await settleItems(
    pool,
    settlements.map((one) => ({ ...one, usage: { ...one.usage, requests: 1 } })),
  );
}

describe('as many items of a lane are ready as the dispatcher takes', () => {
  it('of a run that asks its models one after the other, those of the first', async () => {
    const team = await createTeam(pool);
    await team.submit({ models: ['a', 'b'] });
    expect(await ready(team)).toBe(4);
    const first = await dispatch(team);
    expect(first).toHaveLength(4);
    expect(await ready(team)).toBe(4);
    expect(await dispatch(team)).toHaveLength(4);
    expect(await ready(team)).toBe(0);
  });

  it('of a run that asks its models side by side, all', async () => {
    const team = await createTeam(pool);
    const { jobId } = await team.submit({ models: ['a', 'b'], model_order: 'parallel' });
    expect(await ready(team)).toBe(8);
    expect(await dispatch(team, 3)).toHaveLength(3);
    expect(await ready(team)).toBe(5);
    await cancelJob(pool, { teamId: team.teamId, jobId });
    expect(await ready(team)).toBe(0);
  });

  it('of a run with a budget, what that allows', async () => {
    const team = await createTeam(pool);
    await team.submit({ budget: { max_requests: 3 } });
    expect(await ready(team)).toBe(3);
    const taken = await dispatch(team);
    expect(taken).toHaveLength(3);
    expect(await ready(team)).toBe(0);
    await settleAll(taken);
    expect([await ready(team), (await dispatch(team)).length]).toEqual([0, 0]);
  });

  it('of a model that rests, none until then, and one as a probe', async () => {
    const team = await createTeam(pool);
    await team.submit();
    const taken = await dispatch(team);
    await claimItems(pool, 'w', taken);
    const refusal = { forMs: 3_600_000, why: 'sim answered 429', accessVersion: 1 };
    await restModel(pool, taken[0]!, refusal);
    for (const delivery of taken) await putBack(pool, 'w', delivery);
    expect([await ready(team), (await dispatch(team)).length]).toEqual([0, 0]);
    await pool.query(`UPDATE resting_model SET until = now() - interval '1 s'`);
    expect(await ready(team)).toBe(1);
    const probe = await dispatch(team);
    expect([probe.length, await ready(team)]).toEqual([1, 0]);
    await settleAll(probe);
    expect(await ready(team)).toBe(3);
  });

  it('of a job that waits for its turn, none', async () => {
    const team = await createTeam(pool, { runningJobs: 1 });
    await team.submit();
    await team.submit();
    expect(await ready(team)).toBe(4);
  });
});

it('a fleet has work while a job is unfinished, a deleted run has rows, or a partition is missing', async () => {
  const own = createPool((await createDatabase()).url, 2);
  try {
    await own.query(`SELECT ensure_partitions(now() + interval '3 months')`);
    expect(await hasFleetWork(own)).toBe(false);
    const team = await createTeam(own);
    const { jobId, runId } = await team.submit();
    expect(await hasFleetWork(own)).toBe(true);
    await cancelJob(own, { teamId: team.teamId, jobId });
    await own.query(`UPDATE target SET finished_at = now()`);
    await own.query(`UPDATE run SET closed_generation = generation`);
    await own.query(`DELETE FROM run_figures`);
    expect(await hasFleetWork(own)).toBe(false);

    await own.query('INSERT INTO purge (run_id) VALUES ($1)', [runId]);
    expect(await hasFleetWork(own)).toBe(true);
    for (const id of await runsToPurge(own)) while (await purgeRun(own, id));
    expect(await hasFleetWork(own)).toBe(false);

    const { rows } = await own.query<{ name: string }>(
      `SELECT 'exchange_' || to_char(now() + interval '1 month', 'YYYY_MM') AS name`,
    );
    await own.query(`DROP TABLE ${rows[0]!.name}`);
    expect(await hasFleetWork(own)).toBe(true);
  } finally {
    await own.end();
  }
});
