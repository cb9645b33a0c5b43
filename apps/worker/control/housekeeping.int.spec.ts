import { pino } from 'pino';
import { insertRow } from '#lib/db/connection/insert-row';
import { createPool, inTransaction, type Pool } from '#lib/db/connection/pool';
import { cancelJob } from '#lib/db/engine/cancel-job';
import { createParent } from '#lib/db/testing/parent-fixture';
import { deleteOrchestrations, parentsToRemove } from '#lib/db/upkeep/delete-parents';
import { newId } from '#lib/runtime/ids';
import { connectRedis, type Redis } from '#lib/runtime/redis';
import { Sealer } from '#lib/runtime/seal';
import { createDatabase, createRedis } from '../../../test/services.js';
import { Housekeeping } from './housekeeping.js';

let pool: Pool;
let redis: Redis;
const logger = pino({ level: 'silent' });
beforeAll(async () => {
  pool = createPool((await createDatabase()).url, 4);
  redis = connectRedis((await createRedis()).url, 'producer', logger);
});
afterAll(() => Promise.all([pool.end(), redis.quit()]));

it('a chore that runs out of time continues in the next turn and does not delay other chores', async () => {
  const parent = await createParent(pool);
  const laneId = newId();
  await parent.commit({ children: Array.from({ length: 120 }, (_, n) => parent.child(`${n}`)) });
  await cancelJob(pool, parent);
  await inTransaction(pool, (client) => deleteOrchestrations(client, parent));
  const unused = { name: 'unused', fingerprint: 'unused', max_concurrency: 1 };
  await insertRow(pool, 'lane', { id: laneId, team_id: parent.teamId, ...unused });

  const housekeeping = new Housekeeping({
    ...{
      pool,
      locks: pool,
      redis,
      sealer: new Sealer(['ab'.repeat(32)]),
      logger,
      keepExchangesDays: undefined,
      keepAuditDays: undefined,
    },
    maxChoreMs: 1,
  });
  const run = () => housekeeping.run(new AbortController().signal);
  const runsLeft = async (): Promise<number> =>
    (await pool.query('SELECT 1 FROM run WHERE orchestration_id = $1', [parent.id])).rows.length;
  await run();
  expect((await pool.query('SELECT 1 FROM lane WHERE id = $1', [laneId])).rows).toEqual([]);
  expect(await runsLeft()).toBeGreaterThan(0);
  for (let times = 0; (await parentsToRemove(pool)).length > 0; times++) {
    expect(times).toBeLessThan(20);
    await run();
  }
  expect(await runsLeft()).toBe(0);
});
