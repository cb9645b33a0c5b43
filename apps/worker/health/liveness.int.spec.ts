import { dispatchLane } from '#lib/db/engine/dispatch-lane';
import { LaneRepository } from '#lib/db/catalogue/lanes';
import { createPool } from '#lib/db/connection/pool';
import { createTeam } from '#lib/db/testing/run-fixture';
import { LaneBudget } from '#lib/queue/budget/lane-budget';
import { createLogger } from '#lib/runtime/logger';
import { connectRedis } from '#lib/runtime/redis';
import { createDatabase, createRedis } from '../../../test/services.js';
import { Liveness } from './liveness.js';
import type { LaneShare } from '../fleet/fleet.js';
import { LaneMeters } from './worker-metrics.js';

let cleanUp: () => Promise<void>;
afterAll(() => cleanUp());

// Not stuck: the lane is paused, all slots are taken, the provider is down, or Redis refuses writes.
it('a worker that leaves queued items untouched is stuck, unless something prevents it from taking them', async () => {
  const [database, { url }] = [await createDatabase(), await createRedis()];
  const logger = createLogger('test', 'silent');
  const [pool, redis, meters] = [createPool(database.url, 2), connectRedis(url, 'producer', logger), new LaneMeters()];
  cleanUp = async () => {
    redis.disconnect();
    await pool.end();
    await database.drop();
  };
  await new Promise((ready) => redis.once('ready', ready));
  const team = await createTeam(pool);
  await team.submit();
  await dispatchLane(pool, team.laneId, 100);
  const fleet = { shares: () => [{ lane: { id: team.laneId }, slots: 1 }] as LaneShare[] };
  const liveness = new Liveness({ pool, redis, meters, fleet, logger });
  const whyAfter = async (checks: number): Promise<string[]> => {
    for (let check = 0; check < checks; check++) await liveness.check();
    return liveness.whyStuck;
  };

  expect(await whyAfter(7)).toEqual([]); // just queued
  await pool.query(`UPDATE in_flight SET queued_at = now() - interval '10 s'`);
  expect(await whyAfter(6)).toEqual([]);
  expect(await whyAfter(1)).toEqual([expect.stringContaining('4 items for sim are queued')]);

  const meter = meters.forLane({ id: team.laneId, name: 'lane' });
  meter.setSlots(1);
  meter.startItem();
  expect(await whyAfter(7)).toEqual([]);
  meter.endItem();
  expect(await whyAfter(7)).toHaveLength(1);
  await new LaneRepository(pool, team.teamId).setPaused(team.laneId, true);
  expect(await whyAfter(1)).toEqual([]);
  await new LaneRepository(pool, team.teamId).setPaused(team.laneId, false);
  expect(await whyAfter(7)).toHaveLength(1);
  const [budget, never] = [
    new LaneBudget(
      redis,
      team.laneId,
      { requests_per_minute: null, tokens_per_minute: null, max_concurrency: 8 },
      async () => false,
    ),
    new AbortController().signal,
  ];
  for (let n = 0; n < 10; n++)
    await budget.release(await budget.acquire(1, never), {
      tokens: 0,
      outcome: { outage: 'refused', item: `item ${n}` },
    });
  budget.close();
  expect(await whyAfter(1)).toEqual([]);
  await redis.del(`toolmark:{budget-${team.laneId}}:state`);
  expect(await whyAfter(7)).toHaveLength(1);
  redis.disconnect();
  expect(await whyAfter(7)).toEqual([]);
});
