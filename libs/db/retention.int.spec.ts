import { createDatabase } from '../../test/services.js';
import { dropOldExchanges } from './drop-exchanges.js';
import { createPool, type Pool } from './pool.js';

let pool: Pool;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await createDatabase();
  pool = createPool(database.url, 5);
  drop = async () => {
    await pool.end();
    await database.drop();
  };
});
afterAll(() => drop());

const partitions = async (): Promise<string[]> =>
  (await pool.query<{ name: string }>(`SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'exchange'::regclass ORDER BY 1`)).rows.map(({ name }) => name);

describe('raw exchanges', () => {
  const DAY = 86_400_000;
  const nextMonth = (): number => Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1);

  it('are removed a month at a time, when the whole month is older than they are kept; verdicts stay', async () => {
    const [first] = await partitions();
    const before = await partitions();
    expect(await dropOldExchanges(pool, 30, nextMonth() + 29 * DAY)).toEqual([]);
    expect(await dropOldExchanges(pool, 30, nextMonth() + 31 * DAY)).toEqual([first]);
    expect(await partitions()).toEqual(before.slice(1));
    const { rows } = await pool.query(`SELECT count(*)::int AS n FROM pg_inherits WHERE inhparent = 'result'::regclass`);
    expect(rows[0].n).toBe(before.length);
  });

  it('that somebody reads just now are left for the next time', async () => {
    const reader = await pool.connect();
    const [first] = await partitions();
    await reader.query('BEGIN');
    await reader.query(`SELECT 1 FROM ${first}`);
    expect(await dropOldExchanges(pool, 1, nextMonth() + 90 * DAY)).not.toContain(first);
    await reader.query('COMMIT');
    reader.release();
  }, 30_000);
});

it('rows that came before the partition of their month move into it, and later months get theirs', async () => {
  const month = '2031_05';
  const runId = (await pool.query<{ id: string }>(`SELECT uuid7_floor('2031-05-10') AS id`)).rows[0]!.id;
  await pool.query(`INSERT INTO exchange (run_id, target, case_position, sample, body) VALUES ($1, 0, 0, 0, 'x')`, [runId]);
  const placeOf = async (): Promise<string> => (await pool.query<{ name: string }>('SELECT tableoid::regclass::text AS name FROM exchange WHERE run_id = $1', [runId])).rows[0]!.name;
  expect(await placeOf()).toBe('exchange_default');
  await pool.query(`SELECT ensure_partitions('2031-07-15')`);
  expect(await placeOf()).toBe(`exchange_${month}`);
  expect(await partitions()).toContain('exchange_2031_07');
}, 60_000);
