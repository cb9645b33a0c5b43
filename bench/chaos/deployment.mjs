// A deployment of its own on this machine, every part of which can be killed, frozen and brought back.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { startPostgres } from '../../scripts/postgres.mjs';
import { startRedis } from '../../scripts/redis.mjs';
import { freePort, signalProcess } from '../../scripts/server-process.mjs';
import { MEMORY_FLAGS, node, root } from '../../scripts/set-up.mjs';

export const TOKEN = 'a-token-for-benchmarks-0123456789';
const stopWithParent = ['--import', join(root, 'scripts/stop-with-parent.mjs')];

/** Waits for `check` to answer something truthy, answers it, and takes a check that throws for not yet. */
export async function until(check, what, timeoutMs = 90_000) {
  let last;
  for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; await delay(25)) {
    try {
      if ((last = await check())) return last;
    } catch (error) {
      last = error.message;
    }
  }
  throw new Error(`Waited ${timeoutMs / 1000} s in vain for ${what}. The last look gave: ${JSON.stringify(last)}`);
}

/**
 * Calls `use` with a simulator, stores and as many APIs as wanted (no worker yet), and stops all of it after that.
 * Postgres keeps what it acknowledged through a kill, as in production; Redis keeps nothing.
 */
export async function withDeployment(
  { apis = 1, data = mkdtempSync(join(tmpdir(), 'toolmark-chaos-')), release = root },
  use,
) {
  chmodSync(data, 0o711); // Postgres may run as a user of its own.
  const postgres = await restartable(
    startPostgres,
    { folder: data, logFile: join(data, 'postgres.log'), durable: true },
    () => postmaster(data),
    'SIGQUIT',
  );
  const redis = await restartable(
    startRedis,
    { folder: data, logFile: join(data, 'redis.log'), durable: false },
    () => readFileSync(join(data, 'redis/redis.pid'), 'utf8'),
    'SIGKILL',
  );
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: Object.assign(new URL(postgres.url), { pathname: '/chaos' }).href,
    REDIS_URL: redis.url,
    TOOLMARK_ADMIN_TOKEN: TOKEN,
    TOOLMARK_SEALING_KEY: 'ab'.repeat(32),
    TOOLMARK_ALLOW_PRIVATE_NETWORKS: 'true',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'error',
  };
  const children = new Set();
  /** @param of `preload`: a module loaded first; `from`: the folder of a release */
  const start = async (name, { preload, from = release, port, ...more } = {}) => {
    port ??= await freePort();
    const args = [
      ...MEMORY_FLAGS,
      ...stopWithParent,
      ...(preload ? ['--import', preload] : []),
      join(from, `dist/apps/${name}/main.js`),
    ];
    const child = spawn(node, args, { env: { ...env, ...more, PORT: String(port) }, stdio: ['ignore', 2, 2, 'ipc'] });
    children.add(child);
    const exited = new Promise((ended) => child.once('exit', ended)).finally(() => children.delete(child));
    const kill = (signal) => child.kill(signal);
    return {
      name,
      url: `http://127.0.0.1:${port}`,
      exited,
      kill,
      hasExited: () => child.exitCode !== null || child.signalCode !== null,
      crash: () => (kill('SIGKILL'), exited),
      stop: () => (kill('SIGCONT'), kill('SIGTERM'), exited),
      again: () => start(name, { preload, from, port, ...more }),
    };
  };
  const healthy = async (process) => {
    await until(
      async () => process.hasExited() || (await fetch(`${process.url}/healthz`)).ok,
      `${process.name} to be healthy`,
      120_000,
    );
    if (process.hasExited()) throw new Error(`${process.name} ended as soon as it was started.`);
    return process;
  };
  const sql = new pg.Pool({ connectionString: env.DATABASE_URL, max: 3 });
  sql.on('error', () => {});
  const interrupted = new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => reject(new Error('Interrupted.')));
  });
  try {
    execFileSync(node, [join(release, 'dist/libs/db/connection/migrate-main.js')], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const simulator = await healthy(await start('simulator'));
    const apiProcesses = await Promise.all(Array.from({ length: apis }, async () => healthy(await start('api'))));
    const call = async (method, path, body, token = TOKEN) => {
      const answer = await fetch(apiProcesses.at(-1).url + path, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: body && JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    };
    await Promise.race([
      interrupted,
      use({
        env,
        sql,
        simulator,
        postgres,
        apis: apiProcesses,
        call,
        data,
        start,
        healthy,
        redis: { ...redis, flush: () => flushAll(env.REDIS_URL) },
        worker: async (options) => healthy(await start('worker', options)),
      }),
    ]);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await sql.end();
    await redis.stop();
    await postgres.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

const postmaster = (data) => readFileSync(join(data, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0];

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
  redis.on('error', () => {}); // Told by the promises below.
  try {
    await redis.connect();
    await redis.flushall();
  } finally {
    redis.disconnect();
  }
}
