// `npm test [-- arguments of jest]`: sets up, starts throw-away services, runs jest, stops everything. The services are
// DATABASE_URL and REDIS_URL if given, else containers if a Docker engine answers, else servers from packages.
// TOOLMARK_TEST_SERVICES=docker|embedded forces one of the last two. TOOLMARK_TEST_SEED reproduces random tests.
// TOOLMARK_TEST_PGBOUNCER=1 runs all tests through a PgBouncer in transaction mode.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium } from './chromium.mjs';
import { findPgBouncer, startPgBouncer } from './pgbouncer.mjs';
import { startPostgres } from './postgres.mjs';
import { startRedis } from './redis.mjs';
import { signalProcess } from './server-process.mjs';
import { environment, node, root, setUp } from './set-up.mjs';
import { findTinyproxy } from './tinyproxy.mjs';

const say = (text) => process.stderr.write(`${text}\n`);
const folder = mkdtempSync(join(tmpdir(), 'toolmark-test-'));
chmodSync(folder, 0o711); // Postgres may run as another user.
const running = [];
let jest;
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    interrupted = true;
    if (jest) signalProcess(-jest.pid, 'SIGKILL');
  });
}

try {
  setUp(say);
  process.env.TOOLMARK_CHROMIUM ||= findChromium(say) ?? '';
  process.env.TOOLMARK_TINYPROXY ||= findTinyproxy(say) ?? '';
  process.env.TOOLMARK_TEST_SEED ??= seedOfCommit();
  say(`TOOLMARK_TEST_SEED=${process.env.TOOLMARK_TEST_SEED}`);
  const browser = startBrowser(process.env.TOOLMARK_CHROMIUM);
  const services = await startServices();
  const template = Object.assign(new URL(services.databaseUrl), {
    pathname: `/toolmark_template_${randomBytes(4).toString('hex')}`,
  }).href;
  migrate(template);
  const pooler = process.env.TOOLMARK_TEST_PGBOUNCER ? await startPooler(template) : undefined;
  process.exitCode = interrupted
    ? 130
    : await runJest({
        TOOLMARK_TEST_DATABASE_URL: template,
        TOOLMARK_TEST_POOLER_URL: pooler?.url ?? '',
        TOOLMARK_TEST_REDIS_URL: services.redisUrl,
        TOOLMARK_CHROMIUM_SERVER: await browser,
      });
  if (process.env.DATABASE_URL) await dropDatabases(template);
} catch (error) {
  say(error.message);
  process.exitCode = 1;
} finally {
  for (const service of running.reverse()) await service.stop();
  reportWrongStatements();
  rmSync(folder, { recursive: true, force: true });
}

/** Every test run of a commit uses the same seed; the next commit uses another one. */
function seedOfCommit() {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return String(parseInt(stdout?.slice(0, 7), 16) || 1);
}

async function startServices() {
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, TOOLMARK_TEST_SERVICES: wanted } = process.env;
  if (databaseUrl && redisUrl) return { databaseUrl, redisUrl };
  const keep = (service) => (running.push(service), service.url);
  if (wanted === 'docker' || (wanted !== 'embedded' && dockerAnswers())) {
    say('Starting Postgres and Redis in containers ...');
    // An engine may answer although it has no images and cannot pull any.
    const containers = await startContainers().catch((error) => {
      if (wanted === 'docker') throw error;
      say(`${error.message}\nGoing on with servers from packages.`);
    });
    if (containers) {
      running.push(containers);
      return { databaseUrl: databaseUrl ?? containers.databaseUrl, redisUrl: redisUrl ?? containers.redisUrl };
    }
  }
  const start = (startServer, name, more = []) =>
    startServer({ folder, logFile: join(folder, `${name}.log`), durable: false, say, more });
  return {
    databaseUrl: databaseUrl ?? keep(await start(startPostgres, 'postgres', ['log_line_prefix=%e %a: '])),
    redisUrl: redisUrl ?? keep(await start(startRedis, 'redis')),
  };
}

/**
 * Fails for statements of the product that Postgres can never carry out. A step that is tried again and again only logs
 * them. Tables may not be there yet.
 */
function reportWrongStatements() {
  const log = join(folder, 'postgres.log');
  if (!existsSync(log)) return;
  const wrong = readFileSync(log, 'utf8').match(/^42(?!P01)\w{3} toolmark level .*ERROR: .*$/gm);
  if (!wrong) return;
  say(`Statements that Postgres cannot carry out:\n${[...new Set(wrong)].join('\n')}`);
  process.exitCode ||= 1;
}

/** Between the tests and their databases, which are made and dropped without it. */
async function startPooler(databaseUrl) {
  const command = findPgBouncer(say);
  if (!command) throw new Error('TOOLMARK_TEST_PGBOUNCER needs a PgBouncer.');
  // A few files at a time, with many processes each.
  const settings = { default_pool_size: 40, server_idle_timeout: 20 };
  const pooler = await startPgBouncer({ command, folder, databaseUrl, settings });
  running.push(pooler);
  return pooler;
}

function dockerAnswers() {
  return (
    spawnSync('docker', ['info', '--format', '{{.ServerVersion}}'], { timeout: 5_000, stdio: 'ignore' }).status === 0
  );
}

async function startContainers() {
  const { line, stop } = await startHelper('scripts/test-containers.mjs');
  if (!line) throw new Error('The containers did not start. TOOLMARK_TEST_SERVICES=embedded needs none.');
  return { ...JSON.parse(line), stop };
}

/** One browser for all tests. @returns its address; an empty string if there is no browser */
async function startBrowser(path) {
  if (!path) return '';
  const helper = await startHelper('scripts/chromium-server.mjs');
  running.push(helper);
  return helper.line?.trim() ?? '';
}

/**
 * A script that prints one line when it is ready, and exits at the end of its input. It may need a newer Node than
 * this.
 */
async function startHelper(script) {
  const child = spawn(node, [join(root, script)], {
    env: environment(),
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const line = await new Promise((resolve) => {
    let text = '';
    child.stdout.on('data', (bytes) => (text += bytes).includes('\n') && resolve(text));
    void exited.then(() => resolve(undefined));
  });
  return { line, stop: () => (child.stdin.end(), exited) };
}

function migrate(databaseUrl) {
  const { status } = spawnSync(node, [join(root, 'dist/libs/db/connection/migrate-main.js')], {
    env: { ...environment(), DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('The migrations do not apply to an empty database.');
}

async function runJest(urls) {
  jest = spawn(node, [join(root, 'node_modules/jest/bin/jest.js'), ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
    detached: true, // A separate process group, which contains everything that the tests started and lost.
    env: {
      ...environment(),
      ...urls,
      NODE_OPTIONS: '--experimental-vm-modules --no-warnings=ExperimentalWarning',
      NODE_COMPILE_CACHE: join(folder, 'compile-cache'), // Many processes start; all parse the same modules.
    },
  });
  const code = await new Promise((resolve) => jest.once('exit', (exitCode) => resolve(exitCode ?? 1)));
  signalProcess(-jest.pid, 'SIGKILL');
  return interrupted ? 130 : code;
}

/** The template database and its copies, whose names contain the template's. */
async function dropDatabases(databaseUrl) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: Object.assign(new URL(databaseUrl), { pathname: '/postgres' }).href,
  });
  await client.connect();
  const { rows } = await client.query('SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [
    new URL(databaseUrl).pathname.slice(1),
  ]);
  for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
  await client.end();
}
