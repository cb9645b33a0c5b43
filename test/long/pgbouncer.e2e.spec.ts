// Poolers of its own, in transaction mode: processes share a few sessions of Postgres.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';
import { FIRST_WORKER_LEVEL, WORKER_LEVEL } from '#lib/contracts/worker-level';
import { migrate } from '#lib/db/connection/migrate';
import { BEGIN, createPool, inTransaction, levelOfSession } from '#lib/db/connection/pool';
import { weatherSuite } from '../client.js';
import { expectExact } from '../exact.js';
import { playsAll, seed } from '../seed.js';
import { createDatabase, startPooler, type Pooler } from '../services.js';
import { startSystem } from '../system.js';
import { untilRunCompleted } from '../until-ended.js';
import { until } from '../until.js';

const SIZE = 10;
/** A test that is left out where there is no PgBouncer, which fails in CI. */
const withPooler =
  (size: number, test: (pooler: Pooler) => Promise<void>): (() => Promise<void>) =>
  async () => {
    const pooler = await startPooler(size);
    if (pooler) await test(pooler);
  };

it(
  'an API and two workers share ten sessions: a worker is killed, and every item settles once',
  withPooler(SIZE, async (pooler) => {
    const system = await startSystem({ workers: 2, way: pooler.url });
    const { client, sql, simulator, workers } = system;
    const models = [{ id: 'slow-40' }];
    await client.post('/api/providers', { key: 'sim', base_url: `${simulator.url}/v1`, models });
    const suite_id = await client.importSuite(weatherSuite(300));
    const { body } = await client.post('/api/tool-eval', { suite_id, models: ['sim::slow-40'], cache: 'off' });
    const settled = async () => (await client.get(`/api/tool-eval/history/${body.eval_id}`)).body.counts.settled;
    await until(async () => (await settled()) >= 30, { what: 'the run to be under way' });
    const { rows } = await sql.query(
      `SELECT count(*)::int AS sessions, max(application_name) AS name FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'toolmark %'`,
    );
    expect(rows[0].sessions).toBeLessThanOrEqual(SIZE);
    expect(rows[0].name).toBe(`toolmark level ${WORKER_LEVEL}`);
    await workers[0]!.kill('SIGKILL');
    await system.startWorker();
    await untilRunCompleted(client, body.eval_id);
    await expectExact(sql, body.eval_id, 300);
    for (const { logs } of workers) expect(logs()).not.toMatch(/level of this worker|JIT|prepared statement/);
  }),
);

it(
  'processes of two levels that share one session keep their levels, and a frozen transaction loses its locks',
  withPooler(1, async (pooler) => {
    const url = pooler.url((await createDatabase()).url);
    const named = new URL(url);
    named.searchParams.set('application_name', `Berlin ${'\u00e9'.repeat(99)}`);
    const [own, other, first] = [createPool(url, 1), createPool(named.href, 1), new pg.Pool({ connectionString: url })];
    const pools = [own, other, first];
    for (const pool of pools) pool.on('error', () => {});
    const read = async () => Promise.all([...pools, ...pools].map(levelOfSession));
    for (let round = 0; round < 20; round++)
      expect(await read()).toEqual([1, 2].flatMap(() => [WORKER_LEVEL, WORKER_LEVEL, FIRST_WORKER_LEVEL]));
    expect(await inTransaction(other, async (client) => (await client.query('SHOW jit')).rows)).toEqual([
      { jit: 'off' },
    ]);

    const frozen = await own.connect();
    frozen.on('error', () => {});
    await frozen.query(BEGIN);
    await frozen.query('LOCK TABLE team');
    expect((await other.query('SELECT * FROM team')).rows).toEqual([]);
    await expect(frozen.query('COMMIT')).rejects.toThrow();
    frozen.release(true);
    await Promise.all(pools.map((pool) => pool.end()));
  }),
);

it(
  'processes migrate a new database side by side, and leave no lock in a session',
  withPooler(SIZE, async (pooler) => {
    const { url: existing, directUrl } = await createDatabase();
    const server = new pg.Client({ connectionString: directUrl });
    server.on('error', () => {});
    await server.connect();
    const pathname = `${new URL(existing).pathname}_new`;
    await server.query(`CREATE DATABASE ${pathname.slice(1)}`);
    const url = pooler.url(Object.assign(new URL(existing), { pathname }).href);
    const applied = await Promise.all([migrate(url), migrate(url)]);
    expect(applied.filter(({ migrations }) => migrations.length > 0)).toHaveLength(1);
    expect(await migrate(url)).toEqual({ migrations: [], functions: [] });
    const locks = `SELECT objid FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE datname = $1
      AND locktype = 'advisory'`;
    // The pooler closes a session whose client has gone a moment later.
    await until(async () => (await server.query(locks, [pathname.slice(1)])).rowCount === 0);
    await server.query(`DROP DATABASE ${pathname.slice(1)} WITH (FORCE)`);
    await server.end();
  }),
);

if (playsAll)
  it('in a storm of faults all processes share ten sessions, and results are exact', async () => {
    const args = ['bench/chaos/run.mjs', '5000', '150', String(seed), '8', '--json'];
    const env = { ...process.env, TOOLMARK_TEST_PGBOUNCER: '1' };
    const { stdout } = await promisify(execFile)('node_modules/.bin/node', args, { env, timeout: 590_000 });
    const { differences, watching, repeated, repeatedAtMost } = JSON.parse(stdout);
    expect({ differences, watching }).toEqual({ differences: [], watching: [] });
    expect(repeated).toBeLessThanOrEqual(repeatedAtMost);
  }, 600_000);
