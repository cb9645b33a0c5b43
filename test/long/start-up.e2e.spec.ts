// Private processes: they start without their stores.
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import pg from 'pg';
import { loadFingerprintKey } from '#lib/db/catalogue/fingerprint-key';
import { createPool } from '#lib/db/connection/pool';
import { Sealer } from '#lib/runtime/seal';
import { clientOf, weatherSuite } from '../client.js';
import { ADMIN_TOKEN, SEALING_KEY, startProcess, until } from '../processes.js';
import { createDatabase, createRedis, freePort, startRedis } from '../services.js';
import { tcpProxy, type TcpProxy } from '../tcp-proxy.js';
import { untilJobEnded } from '../until-ended.js';

const children = new Set<ReturnType<typeof launch>>();
afterEach(async () => {
  for (const { child, exited } of children) {
    child.kill('SIGKILL');
    await exited;
  }
  children.clear();
});

/** Starts a process without waiting for anything: the process may wait itself, or exit. */
function launch(name: 'api' | 'worker' | 'simulator', env: Record<string, string>) {
  const child = spawn(resolve('node_modules/.bin/node'), [resolve(`dist/apps/${name}/main.js`)], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (text += part));
  const exited = new Promise<number | null>((ended) => child.once('close', ended));
  const lines = () =>
    text
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { msg: string; because?: Record<string, string> });
  const launched = { child, exited, text: () => text, lines, messages: () => lines().map(({ msg }) => msg) };
  children.add(launched);
  return launched;
}

/** A Postgres that cannot be reached until the test opens the connection. */
async function latePostgres() {
  const target = new URL((await createDatabase()).url);
  const port = await freePort();
  let way: TcpProxy | undefined;
  return {
    url: Object.assign(new URL(target), { host: `127.0.0.1:${port}` }).href,
    come: async () => void (way = await tcpProxy(target, { port })),
    close: () => way?.close(),
  };
}

const common = {
  TOOLMARK_SEALING_KEY: SEALING_KEY,
  TOOLMARK_ADMIN_TOKEN: ADMIN_TOKEN,
  TOOLMARK_ALLOW_PRIVATE_NETWORKS: 'true',
};
const waiting = (process: ReturnType<typeof launch>) => process.lines().filter(({ because }) => because !== undefined);

test('a worker names Postgres and Redis in one line, waits for both, and logs when each is there', async () => {
  const postgres = await latePostgres();
  const redis = await startRedis();
  await redis.kill();
  const port = await freePort();
  const worker = launch('worker', { ...common, PORT: String(port), DATABASE_URL: postgres.url, REDIS_URL: redis.url });
  const [line] = await until(() => (waiting(worker).length > 0 ? waiting(worker) : undefined));
  expect(line).toMatchObject({
    msg: 'Waiting for Postgres with its tables and Redis',
    because: {
      'Postgres with its tables': expect.stringContaining('ECONNREFUSED'),
      Redis: expect.stringContaining('ECONNREFUSED'),
    },
  });
  await postgres.come();
  await until(() => worker.messages().includes('Postgres with its tables: there now'));
  expect(worker.messages()).not.toContain('The worker is ready for items');
  await redis.restart();
  await until(() => worker.messages().includes('The worker is ready for items'));
  expect(worker.messages()).toContain('Redis: there now');
  expect(waiting(worker)).toHaveLength(1);
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  worker.child.kill('SIGTERM');
  expect(await worker.exited).toBe(0);
  postgres.close();
});

test('the API waits for Postgres, not for Redis; a run submitted without Redis finishes once it is up', async () => {
  const postgres = await latePostgres();
  const redis = await startRedis();
  await redis.kill();
  const simulator = await startProcess('simulator');
  const env = { ...common, DATABASE_URL: postgres.url, REDIS_URL: redis.url };
  const port = await freePort();
  const api = launch('api', { ...env, PORT: String(port) });
  const [line] = await until(() => (waiting(api).length > 0 ? waiting(api) : undefined));
  expect(line!.msg).toBe('Waiting for Postgres with its tables');
  await postgres.come();
  await until(() => api.messages().includes('The API is listening'));
  expect(waiting(api)).toHaveLength(1);

  const client = clientOf(`http://127.0.0.1:${port}`);
  await client.post('/api/providers', { key: 'sim', base_url: `${simulator.url}/v1`, models: [{ id: 'perfect-ish' }] });
  const suite_id = await client.importSuite(weatherSuite(3));
  const submitted = await client.post('/api/tool-eval', { suite_id, models: ['sim::perfect-ish'] });
  expect(submitted.status).toBe(202);
  launch('worker', { ...env, PORT: '0' });
  await redis.restart();
  const job = await untilJobEnded(client, submitted.body.job_id);
  expect(job).toMatchObject({ status: 'completed', progress: { done: 3, errored: 0 } });
  postgres.close();
});

test.each(['api', 'worker'] as const)('a waiting process (%s) ends at once on a signal', async (name) => {
  const waits = launch(name, {
    ...common,
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    REDIS_URL: 'redis://127.0.0.1:1',
  });
  await until(() => waiting(waits).length > 0);
  waits.child.kill('SIGTERM');
  expect(await waits.exited).toBe(0);
});

test.each(['api', 'worker'] as const)(
  'a new %s on an old schema answers its probes, says once what is missing, and goes on by itself',
  async (name) => {
    const { url } = await createDatabase();
    const sql = new pg.Client(url);
    await sql.connect();
    const newest = `migration_name = (SELECT max(migration_name) FROM _prisma_migrations)`;
    const { rows } = await sql.query<{ migration_name: string }>(
      `UPDATE _prisma_migrations SET rolled_back_at = now() WHERE ${newest} RETURNING migration_name`,
    );
    const [port, metricsPort] = [await freePort(), await freePort()];
    const process = launch(name, {
      ...common,
      PORT: String(port),
      TOOLMARK_METRICS_PORT: String(metricsPort),
      DATABASE_URL: url,
      REDIS_URL: (await createRedis()).url,
    });
    const answer = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return { status: response.status, body: await response.text() };
    };
    await until(() => waiting(process).length > 0);
    expect(await answer('/healthz')).toMatchObject({ status: 200 });
    for (const path of ['/readyz', '/api/me', '/metrics'])
      expect(await answer(path)).toMatchObject({
        status: 503,
        body: expect.stringContaining(`lacks migration ${rows[0]!.migration_name} of this release: run its migrate`),
      });

    await sql.query(`UPDATE _prisma_migrations SET rolled_back_at = NULL WHERE ${newest}`);
    await until(async () => (await answer('/readyz')).status === 200);
    expect(waiting(process)).toMatchObject([
      { because: { 'Postgres with its tables': expect.stringMatching(/^the database lacks migration/) } },
    ]);
    expect((await answer('/metrics')).status).toBe(200);
    const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    expect([metrics.status, await metrics.text()]).toEqual([200, expect.stringContaining('process_cpu_seconds_total')]);
    expect((await fetch(`http://127.0.0.1:${metricsPort}/healthz`)).status).toBe(404);
    await sql.end();
  },
);

test.each(['api', 'worker'] as const)(
  'a new %s that lacks the sealing key of the installation waits, and says which one it is',
  async (name) => {
    const { url } = await createDatabase();
    const pool = createPool(url, 1);
    const installation = new Sealer(['a'.repeat(64)]);
    await loadFingerprintKey(pool, installation);
    await pool.end();
    const wrong = new Sealer(['b'.repeat(64), 'c'.repeat(64)]);
    const process = launch(name, {
      ...common,
      PORT: String(await freePort()),
      DATABASE_URL: url,
      REDIS_URL: (await createRedis()).url,
      TOOLMARK_SEALING_KEY: '',
      TOOLMARK_SEALING_KEYS: `${'b'.repeat(64)},${'c'.repeat(64)}`,
    });
    const [line] = await until(() => (waiting(process).length > 0 ? waiting(process) : undefined));
    expect(line!.because!['Postgres with its tables']).toContain(
      `it was sealed with the key ${installation.keyIds[0]}, which TOOLMARK_SEALING_KEYS does not have ` +
        `(it has ${wrong.keyIds.join(', ')}). Add that key at the end`,
    );
    expect(process.text()).not.toMatch(/bbbb|cccc/);
  },
);

test('a sealing key that is none of the ring ends a process at once', async () => {
  const process = launch('worker', {
    ...common,
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    REDIS_URL: 'redis://127.0.0.1:1',
    TOOLMARK_SEALING_KEYS: 'b'.repeat(64),
  });
  expect(await process.exited).toBe(1);
  expect(process.text()).toContain('TOOLMARK_SEALING_KEY must be one of TOOLMARK_SEALING_KEYS');
});

test.each(['api', 'worker'] as const)(
  'wrong configuration ends a process at once, with every problem listed (%s)',
  async (name) => {
    const wrong = launch(name, {
      DATABASE_URL: 'mysql://somewhere',
      TOOLMARK_SEALING_KEY: 'short',
      TOOLMARK_ALLOW_PRIVATE_NETWORKS: 'perhaps',
      TOOLMARK_DATABASE_POOL: '1',
      TOOLMARK_ANSWERS_MIB: '8',
      TOOLMARK_BODIES_MIB: '8',
      TOOLMARK_REPLIES_MIB: 'much',
      PORT: '99999',
      LOG_LEVEL: 'loud',
      TOOLMARK_ADMIN_TOKEN: 'short',
    });
    expect(await wrong.exited).toBe(1);
    for (const variable of [
      'DATABASE_URL',
      'REDIS_URL',
      'TOOLMARK_SEALING_KEY',
      'TOOLMARK_ALLOW_PRIVATE_NETWORKS',
      'TOOLMARK_DATABASE_POOL',
      'TOOLMARK_ANSWERS_MIB',
      'TOOLMARK_BODIES_MIB',
      'TOOLMARK_REPLIES_MIB',
      'PORT',
      'LOG_LEVEL',
      'TOOLMARK_ADMIN_TOKEN',
    ]) {
      expect(wrong.text()).toMatch(new RegExp(`^  ${variable} must .+`, 'm'));
    }
  },
);

test('the simulator lists every problem too', async () => {
  const wrong = launch('simulator', { PORT: 'http', SIMULATOR_SEED: '1.5' });
  expect(await wrong.exited).toBe(1);
  expect(wrong.text()).toMatch(/PORT.*"http"[^]*SIMULATOR_SEED.*"1.5"/);
});
