// A private deployment on this machine. Every part of it can be killed, frozen and restarted.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { findPgBouncer, startPgBouncer } from '../../scripts/pgbouncer.mjs';
import { startPostgres } from '../../scripts/postgres.mjs';
import { startRedis } from '../../scripts/redis.mjs';
import { freePort, signalProcess } from '../../scripts/server-process.mjs';
import { MEMORY_ENV, MEMORY_FLAGS, node, root } from '../../scripts/set-up.mjs';
import { apiCaller, interruption, migrate, productEnv } from '../product.mjs';

const STOP_WITH_PARENT = ['--import', join(root, 'scripts/stop-with-parent.mjs')];

/** Waits until `check` returns a truthy value and returns it. An exception from `check` counts as "not yet". */
export async function until(check, what, timeoutMs = 90_000) {
  let last;
  for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; await delay(25)) {
    try {
      if ((last = await check())) return last;
    } catch (error) {
      last = error.message;
    }
  }
  throw new Error(`Waited ${timeoutMs / 1000} s for ${what}. The last value was ${JSON.stringify(last)}`);
}

/**
 * Calls `use` with a simulator, stores and `apis` API processes (no worker yet), then stops all of them. Postgres keeps
 * acknowledged writes through a kill, as in production; Redis keeps nothing. With TOOLMARK_TEST_PGBOUNCER=1 all
 * processes share ten connections of a PgBouncer.
 */
export async function withDeployment({ apis = 1, data = mkdtempSync(join(tmpdir(), 'toolmark-chaos-')) }, use) {
  chmodSync(data, 0o711); // Postgres may run as another user.
  const { postgres, redis } = await startStores(data);
  const env = productEnv({
    postgresUrl: postgres.url,
    database: 'chaos',
    redisUrl: redis.url,
    logLevel: process.env.LOG_LEVEL ?? 'error',
  });
  const pooler = process.env.TOOLMARK_TEST_PGBOUNCER ? await startPooler(env.DATABASE_URL, data) : undefined;
  const { start, killAll } = processStarter(pooler ? { ...env, DATABASE_URL: pooler.url } : env);
  // This pool may write what only a worker of the newest level may write.
  const sql = new pg.Pool({ connectionString: env.DATABASE_URL, max: 3, options: '-c toolmark.worker_level=99' });
  sql.on('error', () => {});
  const interrupted = interruption();
  try {
    migrate(env);
    const simulator = await healthy(await start('simulator'));
    const apiProcesses = await Promise.all(Array.from({ length: apis }, async () => healthy(await start('api'))));
    await Promise.race([
      interrupted,
      use({
        env,
        sql,
        simulator,
        postgres,
        apis: apiProcesses,
        call: apiCaller(() => apiProcesses.at(-1).url),
        data,
        redis: { ...redis, flush: () => flushAll(env.REDIS_URL) },
        worker: async (options) => healthy(await start('worker', options)),
      }),
    ]);
  } finally {
    killAll();
    await sql.end();
    await pooler?.stop();
    await redis.stop();
    await postgres.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

const say = (text) => process.stderr.write(`${text}\n`);

async function startPooler(databaseUrl, folder) {
  const command = findPgBouncer(say);
  if (!command) throw new Error('TOOLMARK_TEST_PGBOUNCER needs a PgBouncer.');
  return startPgBouncer({ command, folder, databaseUrl, settings: { default_pool_size: 10 } });
}

async function startStores(data) {
  const options = (name, durable) => ({ folder: data, logFile: join(data, `${name}.log`), durable, say });
  const postgresPid = () => readFileSync(join(data, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0];
  const redisPid = () => readFileSync(join(data, 'redis/redis.pid'), 'utf8');
  return {
    postgres: await restartable(startPostgres, options('postgres', true), postgresPid, 'SIGQUIT'),
    redis: await restartable(startRedis, options('redis', false), redisPid, 'SIGKILL'),
  };
}

/** Starts Toolmark's processes. Each can be killed, frozen, stopped and started again on its port. */
function processStarter(env) {
  const children = new Set();
  /** `preload`: a module to load first; `from`: the folder of another release; `more`: extra environment variables */
  const start = async (name, { preload, from = root, port, ...more } = {}) => {
    port ??= await freePort();
    const args = [
      ...MEMORY_FLAGS,
      ...STOP_WITH_PARENT,
      ...(preload ? ['--import', preload] : []),
      join(from, `dist/apps/${name}/main.js`),
    ];
    const child = spawn(node, args, {
      env: { PATH: process.env.PATH, ...MEMORY_ENV, ...env, ...more, PORT: String(port) },
      stdio: ['ignore', 2, 2, 'ipc'],
    });
    children.add(child);
    const exited = new Promise((ended) => child.once('exit', ended)).finally(() => children.delete(child));
    const kill = (signal) => child.kill(signal);
    return {
      name,
      url: `http://127.0.0.1:${port}`,
      pid: child.pid,
      exited,
      kill,
      hasExited: () => child.exitCode !== null || child.signalCode !== null,
      crash: () => (kill('SIGKILL'), exited),
      stop: () => (kill('SIGCONT'), kill('SIGTERM'), exited),
      startAgain: () => start(name, { preload, from, port, ...more }),
    };
  };
  return { start, killAll: () => children.forEach((child) => child.kill('SIGKILL')) };
}

async function healthy(process) {
  await until(
    async () => process.hasExited() || (await (await fetch(`${process.url}/healthz`)).json()).status === 'ok',
    `${process.name} to be healthy`,
    120_000,
  );
  if (process.hasExited()) throw new Error(`${process.name} exited right after its start.`);
  return process;
}

async function restartable(startServer, options, pid, signal) {
  let [server, up] = [undefined, false];
  const begin = async () => {
    server = await startServer(options);
    up = true;
    void server.exited.then(() => (up = false));
  };
  await begin();
  const kill = async () => {
    signalProcess(Number(pid()), signal);
    await server.exited;
  };
  const start = async () => {
    const { url } = server;
    await begin();
    if (server.url !== url) throw new Error(`The port of ${url} was taken while its server was down.`);
  };
  return {
    url: server.url,
    kill,
    start,
    stop: () => server.stop(),
    startUnlessUp: async () => !up && (await start(), true),
  };
}

async function flushAll(url) {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => {}); // The promises below reject.
  try {
    await redis.connect();
    await redis.flushall();
  } finally {
    redis.disconnect();
  }
}
