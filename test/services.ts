import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterFile } from './after-file.js';
import { until } from './until.js';

/** A step that runs once: when it is called, or when the test file ends. */
function once(step: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  const atMostOnce = (): Promise<void> => (done ??= step());
  afterFile(atMostOnce);
  return atMostOnce;
}

function given(name: 'TOOLMARK_TEST_DATABASE_URL' | 'TOOLMARK_TEST_REDIS_URL'): URL {
  const url = process.env[name];
  if (!url) throw new Error(`${name} is not set: this test needs services. Run it with: npm test -- <path>`);
  return new URL(url);
}

/**
 * A new, empty database with the newest schema. It is dropped when the test file ends. `directUrl` goes past the pooler
 * of TOOLMARK_TEST_PGBOUNCER; otherwise it is the same.
 */
export async function createDatabase(): Promise<{ url: string; directUrl: string; drop(): Promise<void> }> {
  const template = given('TOOLMARK_TEST_DATABASE_URL');
  const url = await createLastingDatabase();
  const { pathname } = new URL(url);
  return {
    url,
    directUrl: Object.assign(new URL(template), { pathname }).href,
    drop: once(() => onServer(template, `DROP DATABASE IF EXISTS ${pathname.slice(1)} WITH (FORCE)`)),
  };
}

/** A new, empty database with the newest schema. scripts/test.mjs drops it by its name when all tests have ended. */
export async function createLastingDatabase(): Promise<string> {
  const template = given('TOOLMARK_TEST_DATABASE_URL');
  const name = `${template.pathname.slice(1)}_${randomBytes(6).toString('hex')}`;
  await onServer(
    template,
    `CREATE DATABASE ${name} TEMPLATE ${template.pathname.slice(1)}`,
    `ALTER DATABASE ${name} SET jit = off`, // A copy has no settings.
  );
  return Object.assign(new URL(process.env.TOOLMARK_TEST_POOLER_URL || template), { pathname: `/${name}` }).href;
}

export interface Pooler {
  /** The URL of a database, through the pooler. */
  url(databaseUrl: string): string;
  stop(): Promise<void>;
}

/**
 * A PgBouncer in transaction mode in front of the Postgres of all tests, with `size` connections to each database.
 * @returns undefined where there is none, which fails in CI
 */
export async function startPooler(size: number): Promise<Pooler | undefined> {
  const { findPgBouncer, startPgBouncer } = (await import('../scripts/pgbouncer.mjs' as string)) as {
    findPgBouncer(say: (text: string) => void): string[] | undefined;
    startPgBouncer(options: object): Promise<{ url: string; stop(): Promise<void> }>;
  };
  const said: string[] = [];
  const command = findPgBouncer((text) => said.push(text));
  if (!command) {
    if (process.env.CI) throw new Error(said.join(' '));
    process.stderr.write(`${said.join(' ')} What needs one is skipped.\n`);
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'toolmark-pooler-'));
  chmodSync(folder, 0o711); // It runs as another user.
  const databaseUrl = given('TOOLMARK_TEST_DATABASE_URL').href;
  const { url, stop } = await startPgBouncer({
    command,
    folder,
    databaseUrl,
    settings: { default_pool_size: size },
  });
  return {
    url: (of) => Object.assign(new URL(url), { pathname: new URL(of).pathname }).href,
    stop: once(async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    }),
  };
}

async function onServer(url: URL, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: Object.assign(new URL(url), { pathname: '/postgres' }).href });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/**
 * An empty Redis database that no other test file uses at the same time. Channels are shared with other files, and
 * FLUSHALL would empty theirs: use `startRedis` for that.
 */
export async function createRedis(): Promise<{ url: string; flush(): Promise<void>; close(): Promise<void> }> {
  const url = redisOfWorker(0);
  const redis = new Redis(url);
  await redis.flushdb();
  return {
    url,
    flush: async () => void (await redis.flushdb()),
    close: once(async () => void (await redis.quit())),
  };
}

/** The Redis database shared by the files of this jest worker. */
export const lastingRedis = (): string => redisOfWorker(7);

/** Of the 16 databases of a Redis, the first is not used, and each jest worker has two. */
function redisOfWorker(offset: 0 | 7): string {
  const worker = Number(process.env.JEST_WORKER_ID ?? 1);
  if (worker > 7) throw new Error('A Redis has databases for 7 jest workers.');
  return Object.assign(given('TOOLMARK_TEST_REDIS_URL'), { pathname: `/${offset + worker}` }).href;
}

/** Records every later command of a Redis. ioredis fails if a command arrives together with the reply to MONITOR. */
export async function watchCommands(url: string): Promise<Redis> {
  const redis = new Redis(url);
  await redis.ping();
  const watching = await redis.monitor().catch(() => redis.monitor());
  redis.disconnect();
  return watching;
}

export interface PrivateRedis {
  url: string;
  port: number;
  /** As in a crash, nothing is saved. */
  kill(): Promise<void>;
  /** On the same port, empty. */
  restart(): Promise<void>;
  flushAll(): Promise<void>;
  stop(): Promise<void>;
}

/** A separate Redis process, for tests that flush or kill it. */
export async function startRedis(): Promise<PrivateRedis> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const server = redisProgram() ? redisProcess(redisProgram()!, port) : redisContainer(port);
  const command = async (name: 'ping' | 'flushall'): Promise<void> => {
    const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
    redis.on('error', () => {}); // The promises below reject.
    await redis.connect();
    try {
      await (name === 'ping' ? redis.ping() : redis.flushall());
    } finally {
      redis.disconnect();
    }
  };
  const start = async (): Promise<void> => {
    server.start();
    await until(() => command('ping').then(() => true), {
      what: `the Redis on port ${port} to answer`,
      timeoutMs: 120_000,
    });
  };
  const stop = once(server.remove);
  await start();
  return {
    url,
    port,
    kill: server.kill,
    restart: () => server.kill().then(start),
    flushAll: () => command('flushall'),
    stop,
  };
}

const OPTIONS = ['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'];

interface RedisServer {
  start(): void;
  kill(): Promise<void>;
  remove(): Promise<void>;
}

export const redisProgram = (): string | undefined =>
  ['redis-server', 'valkey-server'].find(
    (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0,
  );

function redisProcess(program: string, port: number): RedisServer {
  const folder = mkdtempSync(join(tmpdir(), 'toolmark-redis-'));
  let child: ChildProcess | undefined;
  const killNow = (): boolean | undefined => child?.kill('SIGKILL');
  process.once('exit', killNow);
  const kill = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child?.once('exit', resolve));
    killNow();
    await exited;
  };
  return {
    start: () =>
      (child = spawn(program, ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...OPTIONS], {
        stdio: 'ignore',
      })),
    kill,
    async remove() {
      await kill();
      process.off('exit', killNow);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** For machines with a Docker engine but no Redis. */
function redisContainer(port: number): RedisServer {
  const name = `toolmark-test-redis-${randomBytes(6).toString('hex')}`;
  const docker = (...args: string[]): void => {
    const { status, stderr } = spawnSync('docker', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`There is no redis-server on the PATH, and docker ${args[0]} failed: ${stderr}`);
  };
  const remove = async (): Promise<void> => void spawnSync('docker', ['rm', '-f', name]);
  return {
    start: () =>
      docker('run', '-d', '--name', name, '-p', `127.0.0.1:${port}:6379`, 'redis:7-alpine', 'redis-server', ...OPTIONS),
    kill: remove,
    remove,
  };
}

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
