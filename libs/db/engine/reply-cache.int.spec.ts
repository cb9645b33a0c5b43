import { createDatabase } from '../../../test/services.js';
import { until } from '../../../test/until.js';
import { newId } from '#lib/runtime/ids';
import { createPool, type Pool } from '../connection/pool.js';
import { clearCache, expireCachedReplies, cacheReplies } from './reply-cache.js';
import { SettingsRepository } from '../catalogue/settings.js';
import type { Settlement } from './settle-items.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 8)));
afterAll(() => pool.end());

async function makeTeam(): Promise<string> {
  const id = newId();
  await pool.query('INSERT INTO team (id, name) VALUES ($1::uuid, $1::text)', [id]);
  return id;
}
/** Caches replies of these sizes like a worker, under keys derived from their numbers. */
const keep = (teamId: string, sizes: readonly [key: number, bytes: number][]): Promise<void> =>
  cacheReplies(
    pool,
    sizes.map(([key, bytes]) => ({
      teamId,
      key: Buffer.from(`key ${key}`),
      settlement: {
        delivery: { runId: newId(), target: 0 },
        casePosition: key,
        sample: 0,
        exchange: Buffer.alloc(bytes),
      } as unknown as Settlement,
    })),
  );
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
const size = async (teamId: string) => {
  const { entries, bytes } = await new SettingsRepository(pool, teamId).readCache();
  const { rows } = await pool.query(
    'SELECT count(*)::int AS entries, coalesce(sum(bytes), 0)::int AS bytes FROM cached_reply WHERE team_id = $1',
    [teamId],
  );
  expect({ entries, bytes }).toEqual(rows[0]);
  return { entries, bytes };
};

describe('the size of the cache', () => {
  it('equals the size of its replies while many processes store, replace, expire and clear them', async () => {
    const [mine, theirs] = [await makeTeam(), await makeTeam()];
    expect(await size(mine)).toEqual({ entries: 0, bytes: 0 });
    await keep(mine, [
      [1, 100],
      [2, 50],
    ]);
    await keep(theirs, [[1, 7]]);
    expect(await size(mine)).toEqual({ entries: 2, bytes: 150 });
    await keep(mine, [
      [2, 80],
      [3, 1],
    ]);
    expect(await size(mine)).toEqual({ entries: 3, bytes: 181 });
    await Promise.all(
      upTo(8).map((n) =>
        keep(
          mine,
          upTo(50).map((key) => [n * 25 + key, n + key]),
        ),
      ),
    );
    expect((await size(mine)).entries).toBe(225);
    await pool.query(
      `UPDATE cached_reply SET asked_at = now() - interval '31 days' WHERE team_id = $1 AND case_position < 100`,
      [mine],
    );
    while (await expireCachedReplies(pool, 30));
    expect((await size(mine)).entries).toBe(125);
    await clearCache(pool, mine);
    expect(await size(mine)).toEqual({ entries: 0, bytes: 0 });
    expect(await size(theirs)).toEqual({ entries: 1, bytes: 7 });
  });

  it('is read without reading the replies', async () => {
    const teamId = await makeTeam();
    await keep(teamId, [[1, 100]]);
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query('LOCK TABLE cached_reply');
    expect(await new SettingsRepository(pool, teamId).readCache()).toEqual({
      lifetime_days: 30,
      entries: 1,
      bytes: 100,
    });
    await client.query('ROLLBACK');
    client.release();
  });
});

it('a large cache is emptied in batches, one after the other, and replies that arrive meanwhile stay', async () => {
  const teamId = await makeTeam();
  await keep(
    teamId,
    upTo(25).map((key) => [key, 1]),
  );
  const client = await pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM cached_reply WHERE team_id = $1 AND case_position = 24 FOR UPDATE', [teamId]);
  await pool.query(
    `UPDATE cached_reply SET asked_at = now() - interval '1 day' WHERE team_id = $1 AND case_position < 20`,
    [teamId],
  );
  const emptied = clearCache(pool, teamId, 10);
  await until(async () => (await size(teamId)).entries === 5, { what: 'two pieces to be gone' });
  await keep(teamId, [[100, 3]]);
  await client.query('ROLLBACK');
  client.release();
  await emptied;
  expect(await size(teamId)).toEqual({ entries: 1, bytes: 3 });
});
