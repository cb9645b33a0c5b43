import { Redis } from 'ioredis';
import pg from 'pg';
import { migrate } from '#lib/db/connection/migrate';
import { startProcess } from './processes.js';
import { createDatabase, createRedis, startRedis } from './services.js';

const count = async (url: string, table: string): Promise<number> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // A pooler says that there is no such database at the first statement.
  await client.connect();
  const { rows } = await client.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
  await client.end();
  return rows[0]!.count;
};

test('a test database has the newest schema, is empty, and is gone after drop', async () => {
  const database = await createDatabase();
  expect(await count(database.url, 'team')).toBe(0);
  expect(await migrate(database.url)).toEqual({ migrations: [], functions: [] });
  await database.drop();
  await expect(count(database.url, 'team')).rejects.toThrow('does not exist');
});

test('several processes can migrate a database that does not exist yet at the same time', async () => {
  const database = await createDatabase();
  const fresh = Object.assign(new URL(database.url), { pathname: '/toolmark_test_fresh' }).href;
  await database.drop();
  const applied = await Promise.all([migrate(fresh), migrate(fresh), migrate(fresh)]);
  expect(applied.filter(({ migrations }) => migrations.length > 0)).toHaveLength(1);
  expect(applied.filter(({ functions }) => functions.length > 0)).toHaveLength(1);
  expect(await count(fresh, 'team')).toBe(0);
  const client = new pg.Client({ connectionString: Object.assign(new URL(fresh), { pathname: '/postgres' }).href });
  await client.connect();
  await client.query('DROP DATABASE toolmark_test_fresh WITH (FORCE)');
  await client.end();
});

test('an interrupted migration is applied again', async () => {
  const database = await createDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ migration_name: string }>(
    'SELECT migration_name FROM _prisma_migrations ORDER BY 1',
  );
  await client.query(`
    CREATE TEMP TABLE history AS SELECT * FROM _prisma_migrations LIMIT 1;
    DROP SCHEMA public CASCADE;
    CREATE SCHEMA public;
    CREATE TABLE _prisma_migrations (id varchar(36) PRIMARY KEY, checksum varchar(64) NOT NULL, finished_at
      timestamptz,
      migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz, started_at timestamptz NOT NULL
        DEFAULT now(),
      applied_steps_count integer NOT NULL DEFAULT 0);
    INSERT INTO _prisma_migrations (id, checksum, migration_name) SELECT id, checksum, migration_name FROM history`);
  await client.end();
  expect((await migrate(database.url)).migrations).toEqual(rows.map((row) => row.migration_name));
});

test('a test Redis is empty, and a private one comes back empty after a kill', async () => {
  const shared = await createRedis();
  const redis = new Redis(shared.url);
  expect(await redis.dbsize()).toBe(0);
  await redis.quit();

  const own = await startRedis();
  const client = new Redis(own.url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
  client.on('error', () => {});
  await client.set('key', 'value');
  await own.restart();
  expect(await client.get('key')).toBeNull();
  client.disconnect();
});

test('a process is healthy once started, and ends on a signal', async () => {
  const simulator = await startProcess('simulator');
  expect((await fetch(`${simulator.url}/v1/models`)).status).toBe(200);
  expect(await simulator.stop()).toBe(0);
  await expect(fetch(simulator.url)).rejects.toThrow();
});
