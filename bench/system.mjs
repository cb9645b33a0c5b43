// Toolmark on this machine for a benchmark: stores with durable settings, an API, the simulator, and the CPU time of
// each. If PROFILE_FOLDER is set, each process writes a CPU profile there.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findPgBouncer, startPgBouncer } from '../scripts/pgbouncer.mjs';
import { startPostgres } from '../scripts/postgres.mjs';
import { startRedis } from '../scripts/redis.mjs';
import { freePort } from '../scripts/server-process.mjs';
import { MEMORY_ENV, MEMORY_FLAGS, node, root } from '../scripts/set-up.mjs';
import { apiCaller, interruption, migrate, productEnv } from './product.mjs';

/**
 * Calls `use` with the system, then stops everything.
 * @param of.build the checkout whose build is started; default: this one
 * @param of.postgresSettings such as `max_connections=1000`
 * @param of.pooled whether the processes reach Postgres through a PgBouncer in transaction mode
 */
export async function withSystem(use, { build = root, postgresSettings: more = [], pooled = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'toolmark-bench-'));
  chmodSync(folder, 0o711); // Postgres may run as another user.
  const say = (text) => process.stderr.write(`${text}\n`);
  const postgres = await startPostgres({ folder, logFile: join(folder, 'postgres.log'), durable: true, more });
  const redis = await startRedis({ folder, logFile: join(folder, 'redis.log'), durable: true, say });
  const env = {
    ...process.env,
    ...productEnv({ postgresUrl: postgres.url, database: 'bench', redisUrl: redis.url, logLevel: 'warn' }),
  };
  const databaseUrl = env.DATABASE_URL;
  const { start, endAll } = processStarter(env, build);
  let pooler;
  try {
    migrate(env, build);
    if (pooled) pooler = await startPooler(folder, databaseUrl, say);
    if (pooler) env.DATABASE_URL = pooler.url;
    const [simulator, api] = [await start('simulator'), await start('api')];
    const call = apiCaller(() => api.url);
    await Promise.race([
      interruption(),
      use({
        simulator,
        api,
        call,
        start,
        env,
        databaseUrl,
        redisUrl: env.REDIS_URL,
        finished: (evalId) => finished(call, evalId),
      }),
    ]);
  } finally {
    endAll();
    await delay(500);
    await pooler?.stop();
    await redis.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startPooler(folder, databaseUrl, say) {
  const command = findPgBouncer(say);
  if (!command) throw new Error('There is no PgBouncer.');
  return startPgBouncer({ command, folder, databaseUrl, settings: { max_client_conn: 5000, default_pool_size: 40 } });
}

function processStarter(env, build) {
  const children = [];
  const start = async (name) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const profile = process.env.PROFILE_FOLDER
      ? ['--cpu-prof', '--cpu-prof-dir', process.env.PROFILE_FOLDER, '--cpu-prof-name', `${name}-${port}.cpuprofile`]
      : [];
    const child = spawn(node, [...MEMORY_FLAGS, ...profile, join(build, `dist/apps/${name}/main.js`)], {
      env: { ...MEMORY_ENV, ...env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    children.push(child);
    const isHealthy = () =>
      fetch(`${url}/healthz`).then(
        async (response) => (await response.json()).status === 'ok', // Not while it waits for its schema.
        () => false,
      );
    while (!(await isHealthy())) await delay(50);
    return {
      pid: nodeOf(child.pid),
      url,
      stop: () => new Promise((resolve) => (child.once('exit', resolve), child.kill('SIGINT'))),
    };
  };
  const endAll = () => {
    for (const child of children) if (child.exitCode === null) child.kill('SIGINT');
  };
  return { start, endAll };
}

/** Waits for the run to end and returns its duration in seconds. */
async function finished(call, evalId) {
  for (;;) {
    const now = await call('GET', `/api/tool-eval/history/${evalId}`);
    if (now.status === 'completed') return (Date.parse(now.finished_at) - Date.parse(now.created_at)) / 1000;
    await delay(100);
  }
}

/**
 * A suite of 1,000 cases, so that each sample is a thousand items.
 * @param fields additional fields of the n-th case
 */
export async function importThousandCases(call, fields = {}) {
  const suite = await call('GET', '/api/tool-eval/import/example');
  suite.test_cases = Array.from({ length: 1000 }, (_, n) => ({
    prompt: `What is the weather in city ${n}?`,
    expected_tool: 'get_weather',
    expected_params: { city: 'x' },
    ...Object.fromEntries(Object.entries(fields).map(([name, of]) => [name, of(n)])),
  }));
  return (await call('POST', '/api/tool-eval/import', suite)).suite_id;
}

const stat = (pid) => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')),
    parent: Number(fields[1]),
    own: (Number(fields[11]) + Number(fields[12])) * 10,
    reaped: (Number(fields[13]) + Number(fields[14])) * 10,
  };
};
const processes = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [{ pid: Number(pid), ...stat(pid) }];
      } catch {
        return [];
      }
    });
/** The node binary may be started through a wrapper. */
const nodeOf = (pid) => processes().find((one) => one.parent === pid)?.pid ?? pid;

/** A process's CPU time in milliseconds. */
export const cpuMs = (pid) => stat(pid).own;
/** The processes that this one started, and theirs. */
function descendants() {
  const children = Map.groupBy(processes(), (one) => one.parent);
  const below = (pid) => (children.get(pid) ?? []).flatMap((one) => [one, ...below(one.pid)]);
  return below(process.pid);
}
/** CPU time in milliseconds of all processes of a store that this process started, including those that ended. */
export const storeCpuMs = (program) =>
  descendants()
    .filter((one) => one.name.startsWith(program))
    .reduce((sum, one) => sum + one.own + (program === 'postgres' ? one.reaped : 0), 0);
