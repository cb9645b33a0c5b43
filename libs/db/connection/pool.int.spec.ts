import pg from 'pg';
import { createDatabase, freePort } from '../../../test/services.js';
import { someoneWaits } from '../../../test/lock-wait.js';
import { tcpProxy, type TcpProxy } from '../../../test/tcp-proxy.js';
import {
  CONNECTION_OPTIONS,
  createPool,
  inTransaction,
  isTransient,
  longQuery,
  retryTransient,
  type Pool,
} from './pool.js';

let target: URL;
let way: TcpProxy;
let direct: pg.Pool;
const pools: Pool[] = [];
beforeEach(async () => {
  target = new URL((await createDatabase()).directUrl);
  way = await tcpProxy(target);
  direct = new pg.Pool({ connectionString: target.href, max: 2 });
  direct.on('error', () => {});
});
afterEach(async () => {
  way.close();
  await Promise.all([...[direct, ...pools.splice(0)].map((pool) => pool.end())]);
});
const poolOf = (url: string, queryTimeoutMs?: number): Pool => (
  pools.push(createPool(url, 1, undefined, queryTimeoutMs)),
  pools.at(-1)!
);
const READ_TEAMS = 'SELECT * FROM team';
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Runs `use` while the table of teams is locked. */
async function whileLocked<Result>(use: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const client = await direct.connect();
  try {
    await client.query('BEGIN');
    await client.query('LOCK TABLE team');
    return await use(client);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}
describe('a transient failure is recognised:', () => {
  it('Postgres no longer listens', async () => {
    expect(
      isTransient(await failureOf(poolOf(`postgres://a:b@127.0.0.1:${await freePort()}/c`).query(READ_TEAMS))),
    ).toBe(true);
  });

  it('a connection that was cut, and one that ends while it is established', async () => {
    const pool = poolOf(way.url);
    await pool.query(READ_TEAMS);
    way.cut();
    expect(isTransient(await failureOf(pool.query(READ_TEAMS)))).toBe(true);
    expect(isTransient(await failureOf(pool.query(READ_TEAMS)))).toBe(true);
    way.mend();
    expect((await pool.query(READ_TEAMS)).rows).toEqual([]);
  });

  it('Postgres stops during a statement', async () => {
    const pool = poolOf(way.url);
    await whileLocked(async (client) => {
      const failure = failureOf(pool.query(READ_TEAMS));
      await someoneWaits(direct);
      await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
          AND pid <> pg_backend_pid()`,
      );
      expect(isTransient(await failure)).toBe(true);
    });
  });

  it('a deadlock', async () => {
    await direct.query('CREATE TABLE other ()');
    const pool = poolOf(target.href);
    await whileLocked(async (client) => {
      const mine = failureOf(
        inTransaction(pool, async (mine) => {
          await mine.query('LOCK TABLE other');
          await mine.query(READ_TEAMS);
        }),
      );
      await someoneWaits(direct);
      const theirs = await failureOf(client.query('LOCK TABLE other'));
      expect(isTransient(theirs ?? (await mine))).toBe(true);
      await client.query('ROLLBACK');
      await mine;
    });
  });

  it('Postgres has no connection left', async () => {
    const name = target.pathname.slice(1);
    await direct.query(`ALTER DATABASE ${name} CONNECTION LIMIT 0`);
    await direct.query(`CREATE ROLE ${name} LOGIN PASSWORD 'a'`);
    const other = poolOf(Object.assign(new URL(target), { username: name, password: 'a' }).href);
    expect(isTransient(await failureOf(other.query(READ_TEAMS)))).toBe(true);
    await direct.query(`DROP ROLE ${name}`);
  });
});

it('other failures are not transient', async () => {
  const pool = poolOf(target.href);
  await direct.query('ALTER TABLE team RENAME TO gone');
  expect(isTransient(await failureOf(pool.query(READ_TEAMS)))).toBe(false);
  expect(isTransient(await failureOf(direct.query('SELECT nothing')))).toBe(false);
  expect(isTransient(new TypeError('x is not a function'))).toBe(false);
});

describe('a Postgres that stops responding on an open connection', () => {
  const QUICK_MS = 500;

  it('is abandoned, and asked again over another connection', async () => {
    const pool = poolOf(way.url, QUICK_MS);
    await pool.query('SELECT 1');
    way.silence();
    const failure = await failureOf(pool.query('SELECT 1'));
    expect(failure).toMatchObject({ message: 'Query read timeout' });
    expect(isTransient(failure)).toBe(true);
    way.mend();
    expect((await retryTransient(() => pool.query('SELECT 1 AS one'))).rows).toEqual([{ one: 1 }]);
  });

  it('is abandoned once in a transaction, and not a second time for its end', async () => {
    const onceMs = 2000; // Longer than the delays of a busy machine, so that waiting twice is recognisable.
    const pool = poolOf(way.url, onceMs);
    let gaveUpAt = Infinity;
    const failure = await failureOf(
      inTransaction(pool, async (client) => {
        way.silence();
        await client.query('SELECT 1').finally(() => (gaveUpAt = performance.now()));
      }),
    );
    expect(performance.now() - gaveUpAt).toBeLessThan(onceMs);
    expect(isTransient(failure)).toBe(true);
    way.mend();
    expect(
      await retryTransient(() => inTransaction(pool, async (client) => (await client.query('SELECT 1')).rowCount)),
    ).toBe(1);
  });
});

it('statements over a whole large run may take longer', async () => {
  const pool = poolOf(target.href, 100);
  await expect(pool.query('SELECT pg_sleep(0.3)')).rejects.toThrow('Query read timeout');
  expect((await longQuery(pool, 'SELECT $1::int AS one, pg_sleep(0.3)', [1])).rows).toMatchObject([{ one: 1 }]);
});

it('every pool has a limit of a minute and TCP keepalive', () => {
  expect(CONNECTION_OPTIONS).toMatchObject({
    query_timeout: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  expect(poolOf(target.href).options).toMatchObject(CONNECTION_OPTIONS);
});
