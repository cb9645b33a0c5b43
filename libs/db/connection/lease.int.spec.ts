import { createDatabase } from '../../../test/services.js';
import { until } from '../../../test/until.js';
import { LeaseExpired, removeExpiredLeases, withLease } from './lease.js';
import { createPool, type Pool } from './pool.js';

let pool: Pool;
beforeAll(async () => {
  pool = createPool((await createDatabase()).url, 2);
});
afterAll(() => pool.end());

const leases = async (): Promise<string[]> =>
  (await pool.query<{ name: string }>('SELECT name FROM lease ORDER BY name')).rows.map(({ name }) => name);

it('however many holders wait, a pool of two connections keeps both of them free', async () => {
  const waits = Promise.withResolvers<void>();
  const held = Array.from({ length: 9 }, (_, n) => withLease(pool, `step ${n}`, () => waits.promise));
  await until(async () => (await leases()).length === 9);
  expect(await withLease(pool, 'another', async () => void (await pool.query('SELECT 1')))).toBe(true);
  waits.resolve();
  expect(await Promise.all(held)).toEqual(Array(9).fill(true));
  expect(await leases()).toEqual([]);
});

it('one process at a time holds a lease, and the next one gets it after a release or a failure', async () => {
  const waits = Promise.withResolvers<void>();
  const first = withLease(pool, 'step', () => waits.promise);
  await until(async () => (await leases()).length === 1);
  let ranTwice = false;
  expect(await withLease(pool, 'step', async () => void (ranTwice = true))).toBe(false);
  expect(ranTwice).toBe(false);
  waits.reject(new Error('no such luck'));
  await expect(first).rejects.toThrow('no such luck');
  expect(await withLease(pool, 'step', async () => {})).toBe(true);
});

it('a lease is renewed while its work continues', async () => {
  const waits = Promise.withResolvers<void>();
  const endOfLease = async (): Promise<number> =>
    (await pool.query<{ until: Date }>(`SELECT until FROM lease WHERE name = 'long'`)).rows[0]!.until.getTime();
  const held = withLease(pool, 'long', () => waits.promise, 150);
  await until(async () => (await leases()).includes('long'));
  const before = await endOfLease();
  await until(async () => (await endOfLease()) > before);
  waits.resolve();
  await held;
});

it('another process takes the lease of a dead one, and the signal of a frozen process aborts', async () => {
  const lost = Promise.withResolvers<unknown>();
  const frozen = withLease(
    pool,
    'frozen',
    (signal) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(lost.resolve(signal.reason)))),
    150,
  );
  await until(async () => (await leases()).includes('frozen'));
  await pool.query(`UPDATE lease SET holder = gen_random_uuid(), until = now() - interval '2 hours'`);
  expect(await lost.promise).toBeInstanceOf(LeaseExpired);
  await frozen;
  expect(await leases()).toEqual(['frozen']); // The lease is no longer its own.
  expect(await withLease(pool, 'frozen', async () => {})).toBe(true);
});

it('leases of dead processes are removed', async () => {
  await pool.query(
    `INSERT INTO lease
     VALUES ('old', gen_random_uuid(), now() - interval '2 hours'), ('new', gen_random_uuid(), now())`,
  );
  await removeExpiredLeases(pool);
  expect(await leases()).toEqual(['new']);
});
