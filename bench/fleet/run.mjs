// What a fleet asks of Postgres and Redis at equal load, by its number of workers: statements, commands, CPU,
// connections and notifications a second, and how long an idle lane's item waits for its model to be asked.
//   node bench/fleet/run.mjs [--workers=1,10,40,100] [--lanes=100] [--seconds=30] [--from=<commit or checkout>]
//     [--pgbouncer] [--top=12]
// With `--from`, each measurement is made with that build and then with this one. With `--pgbouncer`, workers and API
// reach Postgres through a PgBouncer of 40 connections, in transaction mode.
import { fork } from 'node:child_process';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import pg from 'pg';
import { root } from '../../scripts/set-up.mjs';
import { importThousandCases, withSystem } from '../system.mjs';
import { buildOf } from './build-of.mjs';
import { measure, POSTGRES_SETTINGS } from './measure.mjs';
import { startProvider } from './provider.mjs';
import { printDoublings, printRow, printHead, printTop } from './table.mjs';

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '1,10,40,100' },
    lanes: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '30' },
    from: { type: 'string' },
    pgbouncer: { type: 'boolean', default: false },
    top: { type: 'string', default: '12' },
  },
});
const counts = values.workers.split(',').map(Number);
const [lanes, seconds, top] = [values.lanes, values.seconds, values.top].map(Number);

/** Two cores carry this load, and 100 workers of this build. */
const CONCURRENCY = 10;
const LATENCY = { minMs: 10_000, maxMs: 20_000 };
const WARM_UP_SECONDS = 25;
const IDLE_LANES = 20;
const MOST_PICK_UP_MS = 30_000;
/** One process could not drive more on time. */
const WORKERS_A_PROCESS = 10;

const rate = (lanes * CONCURRENCY * 2000) / (LATENCY.minMs + LATENCY.maxMs);
console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}; ${lanes} lanes, ${Math.round(rate)} items/s at most`);
const builds = [
  ...(values.from ? [{ name: 'before', ...(await buildOf(values.from)) }] : []),
  { name: 'now', folder: root },
];
const rows = [];
try {
  printHead();
  for (const workers of counts) {
    for (const build of builds) {
      const row = { build: build.name, workers, ...(await measureFleet(build.folder, workers)) };
      rows.push(row);
      printRow(row);
    }
  }
} finally {
  printDoublings(rows);
  printTop(rows, top);
  for (const { remove } of builds) remove?.();
}
process.exit(0);

async function measureFleet(folder, workers) {
  let measured;
  await withSystem(
    async (system) => {
      const provider = startProvider({ ...LATENCY, atOnce: lanes * CONCURRENCY });
      const sql = new pg.Pool({ connectionString: system.databaseUrl, max: 1 });
      const redis = new Redis(system.redisUrl);
      const hosts = [];
      try {
        measured = await measureUnderLoad({ ...system, provider, sql, redis, hosts, folder, workers });
      } finally {
        for (const host of hosts) host.kill();
        redis.disconnect();
        await sql.end();
        provider.stop();
      }
    },
    { build: folder, postgresSettings: POSTGRES_SETTINGS, pooled: values.pgbouncer },
  );
  return measured;
}

async function measureUnderLoad({ call, api, env, provider, sql, redis, hosts, folder, workers }) {
  await sql.query('CREATE EXTENSION pg_stat_statements; UPDATE team SET running_jobs_per_user = 1000');
  const suites = await addLanes(call, provider);
  for (let n = workers; n > 0; n -= WORKERS_A_PROCESS)
    hosts.push(startHost(folder, Math.min(n, WORKERS_A_PROCESS), env));
  await Promise.all(hosts.map(({ ready }) => ready));
  const say = (what) => process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${what}\n`);
  say(`${workers} workers have started`);
  for (let n = 0; n < lanes; n++) await submit(call, suites.large, `busy-${n}::slow`);
  say('all runs are submitted');
  await delay(WARM_UP_SECONDS * 1000);
  const measured = await measure({ sql, redis, pids: { workers: hosts.map(({ pid }) => pid), api: api.pid }, seconds });
  say('measured; now items for idle lanes');
  return { ...measured, pickUpMs: await pickUps(call, suites.small, provider) };
}

function startHost(folder, workers, env) {
  const child = fork(join(import.meta.dirname, 'host.mjs'), [folder, String(workers)], {
    env: { ...env, UV_THREADPOOL_SIZE: '4' },
    execArgv: ['--max-semi-space-size=16', '--max-old-space-size=2048'],
    stdio: ['ignore', process.env.WORKERS_LOG ? 'inherit' : 'ignore', 'inherit', 'ipc'],
  });
  const ready = new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', () => reject(new Error('The workers ended.')));
  });
  ready.catch(() => {});
  return { pid: child.pid, ready, kill: () => child.kill('SIGKILL') };
}

/** Lanes with a slow model for the load, idle ones with a quick model, and a suite for each. */
async function addLanes(call, provider) {
  const limits = { max_concurrency: CONCURRENCY };
  const add = async (key, model) => {
    const base_url = await provider.addHost();
    await call('POST', '/api/providers', {
      key,
      base_url,
      api_key: `sk-${key}-0123456789`,
      limits,
      models: [{ id: model }],
    });
  };
  for (let n = 0; n < lanes; n++) await add(`busy-${n}`, 'slow');
  for (let n = 0; n < IDLE_LANES; n++) await add(`idle-${n}`, `quick-${n}`);
  const small = await call('GET', '/api/tool-eval/import/example');
  small.test_cases = small.test_cases.slice(0, 1);
  return {
    large: await importThousandCases(call),
    small: (await call('POST', '/api/tool-eval/import', small)).suite_id,
  };
}

/** An overloaded API may refuse once or twice. */
async function submit(call, suite_id, model, attempts = 10) {
  try {
    return await call('POST', '/api/tool-eval', { suite_id, models: [model], samples: 1, cache: 'off' });
  } catch (error) {
    if (attempts === 1) throw error;
    await delay(500);
    return submit(call, suite_id, model, attempts - 1);
  }
}

/**
 * Milliseconds from submitting one item to a lane without work until its model is asked, sorted. The items come about
 * twice a second, out of step with the workers' turns.
 */
async function pickUps(call, suite, { firstAskedAt }) {
  const asked = async (model, submittedAt) => {
    while (!firstAskedAt.has(model) && performance.now() - submittedAt < MOST_PICK_UP_MS) await delay(5);
    return (firstAskedAt.get(model) ?? Infinity) - submittedAt;
  };
  const waiting = [];
  for (let n = 0; n < IDLE_LANES; n++) {
    await delay(Math.random() * 1000);
    const submittedAt = performance.now();
    await submit(call, suite, `idle-${n}::quick-${n}`);
    waiting.push(asked(`quick-${n}`, submittedAt));
  }
  return (await Promise.all(waiting)).sort((a, b) => a - b);
}
