import { newId } from '#lib/runtime/ids';
import { createDatabase } from '../../../test/services.js';
import { dropOldMonths } from './drop-months.js';
import { createPool, type Pool } from '../connection/pool.js';

let pool: Pool;
beforeAll(async () => void (pool = createPool((await createDatabase()).url, 5)));
afterAll(() => pool.end());

const partitions = async (): Promise<string[]> =>
  (
    await pool.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'exchange'::regclass ORDER BY 1`,
    )
  ).rows.map(({ name }) => name);

describe('raw exchanges', () => {
  const DAY = 86_400_000;
  const nextMonth = (): number => Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1);

  it('are removed a month at a time once the whole month has expired; verdicts stay', async () => {
    await pool.query('SELECT ensure_partitions(now())');
    const [first] = await partitions();
    const before = await partitions();
    expect(await dropOldMonths(pool, 'exchange', 30, new Date(nextMonth() + 29 * DAY))).toEqual([]);
    expect(await dropOldMonths(pool, 'exchange', 30, new Date(nextMonth() + 31 * DAY))).toEqual([first]);
    expect(await partitions()).toEqual(before.slice(1));
    const now = new Date(nextMonth() + 90 * DAY);
    const rounds = first!.replace('exchange', 'conversation_round');
    // The next month has ended, too, but its exchanges are still there.
    expect(await dropOldMonths(pool, 'conversation_round', 30, now)).toEqual([rounds]);
    const dropped = await pool.query(`SELECT subject, cause FROM audit WHERE action = 'exchange.drop'`);
    expect(dropped.rows).toEqual([{ subject: first!.slice(-7).replace('_', '-'), cause: 'retention' }]);
    const { rows } = await pool.query(
      `SELECT count(*)::int AS n FROM pg_inherits WHERE inhparent = 'result'::regclass`,
    );
    expect(rows[0].n).toBe(before.length);
  });

  it('that are being read are left for the next turn', async () => {
    const reader = await pool.connect();
    const [first] = await partitions();
    await reader.query('BEGIN');
    await reader.query(`SELECT 1 FROM ${first}`);
    expect(await dropOldMonths(pool, 'exchange', 1, new Date(nextMonth() + 90 * DAY))).not.toContain(first);
    await reader.query('COMMIT');
    reader.release();
  }, 30_000);
});

it('months of the audit are dropped likewise, and say so; the release before writes what it knows', async () => {
  const month = new Date().toISOString().slice(0, 7);
  const ended = Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1);
  const write = (id: string) =>
    pool.query(`INSERT INTO audit (id, team_id, user_id, action, subject) VALUES ($1, $1, $1, 'run.submit', 'old')`, [
      id,
    ]);
  // What was there before the upgrade is in the partition of the month of the upgrade, however old.
  for (const at of [Date.parse('2024-02-10'), Date.now()]) await write(newId(at));
  expect(await dropOldMonths(pool, 'audit', 30, new Date(ended + 29 * 86_400_000))).toEqual([]);
  const partition = `audit_${month.replace('-', '_')}`;
  expect(await dropOldMonths(pool, 'audit', 30, new Date(ended + 31 * 86_400_000))).toEqual([partition]);
  const entries = async () =>
    (
      await pool.query(`SELECT action, subject, cause, count, tableoid::regclass::text AS place FROM audit
        WHERE action <> 'exchange.drop'`)
    ).rows;
  const entry = { action: 'audit.drop', subject: month, cause: 'retention', count: 1 };
  expect(await entries()).toEqual([{ ...entry, place: 'audit_default' }]);
  await pool.query(`SELECT ensure_partitions(now() + interval '3 months')`);
  expect(await entries()).toEqual([{ ...entry, place: partition }]);
});

describe('the partition of a month', () => {
  /** The partition for the rows of a run submitted at `at`. */
  const placeOf = async (at: string): Promise<string> => {
    const runId = newId(Date.parse(at));
    await pool.query(`INSERT INTO exchange (run_id, target, case_position, sample, body) VALUES ($1, 0, 0, 0, 'x')`, [
      runId,
    ]);
    return (
      await pool.query<{ name: string }>('SELECT tableoid::regclass::text AS name FROM exchange WHERE run_id = $1', [
        runId,
      ])
    ).rows[0]!.name;
  };
  const bounds = async (parent: string): Promise<{ month: string; bound: string }[]> =>
    (
      await pool.query(
        `SELECT right(c.relname, 7) AS month, pg_get_expr(c.relpartbound, c.oid) AS bound FROM pg_inherits i
          JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = $1::regclass AND c.relname ~ '_\\d{4}_\\d\\d$' ORDER BY 1`,
        [parent],
      )
    ).rows;
  beforeAll(async () => {
    // Partitions must not depend on the time zone of the session that creates them.
    const client = await pool.connect();
    for (const [zone, until] of [
      ['Pacific/Kiritimati', '2028-01-31T12:00:00Z'],
      ['America/Los_Angeles', '2028-05-01T00:00:00Z'],
    ]) {
      await client.query(`SET TIME ZONE '${zone}'`);
      await client.query('SELECT ensure_partitions($1)', [until]);
    }
    client.release(true);
  }, 60_000);

  it.each([
    ['2027-12-31T23:59:59.999Z', 'exchange_2027_12'],
    ['2028-01-01T00:00:00.000Z', 'exchange_2028_01'],
    ['2028-02-29T23:59:59.999Z', 'exchange_2028_02'],
    ['2028-03-01T00:00:00.000Z', 'exchange_2028_03'],
    ['2027-02-28T23:59:59.999Z', 'exchange_2027_02'],
    ['2027-03-01T00:00:00.000Z', 'exchange_2027_03'],
    ['2027-11-30T23:59:59.999Z', 'exchange_2027_11'],
    ['2028-04-30T23:59:59.999Z', 'exchange_2028_04'],
    ['2028-05-01T00:00:00.000Z', 'exchange_default'], // until then, and no longer
  ])('holds rows submitted at %s in %s', async (at, name) => {
    expect(await placeOf(at)).toBe(name);
  });

  it('starts where the previous one ends, for results, exchanges and verdicts of rescores alike', async () => {
    const [results, ...others] = await Promise.all(['result', 'exchange', 'rescored'].map(bounds));
    for (const other of others) expect(other.slice(-12)).toEqual(results!.slice(-12));
    const ends = results!.map(({ bound }) => bound.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g)!);
    expect(ends.slice(1).map(([from]) => from)).toEqual(ends.slice(0, -1).map(([, to]) => to));
  });

  it('that ended long ago is created for rows of the default partition, so that they are dropped with it', async () => {
    expect([await placeOf('2024-02-29T23:59:59.999Z'), await placeOf('2023-12-01T00:00:00.000Z')]).toEqual([
      'exchange_default',
      'exchange_default',
    ]);
    await pool.query('SELECT ensure_partitions(now())');
    expect((await bounds('exchange')).slice(0, 2).map(({ month }) => month)).toEqual(['2023_12', '2024_02']);
    expect(await dropOldMonths(pool, 'exchange', 30, new Date(Date.parse('2024-03-31T00:00:00Z') - 1))).toEqual([
      'exchange_2023_12',
    ]);
    expect(await dropOldMonths(pool, 'exchange', 30, new Date(Date.parse('2024-03-31T00:00:00Z')))).toEqual([
      'exchange_2024_02',
    ]);
    expect(
      (await pool.query('SELECT 1 FROM exchange WHERE run_id < $1', [newId(Date.parse('2025-01-01'))])).rowCount,
    ).toBe(0);
  });

  it('is created while others write, without waiting for long readers, behind which others would queue', async () => {
    const reader = await pool.connect();
    try {
      await reader.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0'); // Simulates a busy one.
      await reader.query('SELECT count(*) FROM result');
      await expect(pool.query(`SELECT ensure_partitions('2028-06-15')`)).rejects.toMatchObject({ code: '55P03' });
    } finally {
      await reader.query('ROLLBACK');
      reader.release();
    }
    await pool.query(`SELECT ensure_partitions('2028-06-15')`);
    expect(await placeOf('2028-06-01T00:00:00Z')).toBe('exchange_2028_06');
  }, 60_000);
});

it('rows from before the partition of their month move into it, and later months get their own', async () => {
  const month = '2031_05';
  const runId = (await pool.query<{ id: string }>(`SELECT uuid7_floor('2031-05-10') AS id`)).rows[0]!.id;
  await pool.query(`INSERT INTO exchange (run_id, target, case_position, sample, body) VALUES ($1, 0, 0, 0, 'x')`, [
    runId,
  ]);
  const placeOf = async (): Promise<string> =>
    (
      await pool.query<{ name: string }>('SELECT tableoid::regclass::text AS name FROM exchange WHERE run_id = $1', [
        runId,
      ])
    ).rows[0]!.name;
  expect(await placeOf()).toBe('exchange_default');
  await pool.query(`SELECT ensure_partitions('2031-07-15')`);
  expect(await placeOf()).toBe(`exchange_${month}`);
  expect(await partitions()).toContain('exchange_2031_07');
}, 60_000);
