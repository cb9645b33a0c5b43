// `npm start`: starts everything that Toolmark needs on this machine, from a plain checkout, without Docker. See
// docs/operations.md. With --watch (`npm run dev`) it also rebuilds on changes and restarts the affected processes
// (watch.mjs).
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppProcess, drainSecondsOf, endLeftoverApps } from './app-process.mjs';
import {
  apiClient,
  followSimulator,
  importExamples,
  isUntouched,
  leaderboard,
  quoted,
  registerOpenai,
  registerSimulator,
  runDemo,
  nextSteps,
} from './demo.mjs';
import { keepSecret } from './keep-secret.mjs';
import { startPostgres } from './postgres.mjs';
import { startRedis } from './redis.mjs';
import { commandOf, freePort } from './server-process.mjs';
import { environment, node, root, setUp } from './set-up.mjs';
import { startWatching } from './watch.mjs';

/**
 * npm forwards a signal that the terminal has already sent to the whole group: within this time, it is the same Ctrl-C.
 */
const SAME_SIGNAL_MS = 1000;
const RESTART_ATTEMPTS = 10;

const say = (text) => console.log(text);
const envFile = join(root, '.env');
/** The values from the shell, before .env is read. The command line reads .env itself. */
const { TOOLMARK_ADMIN_TOKEN: exportedToken, TOOLMARK_DATA_DIR: exportedFolder } = process.env;
if (existsSync(envFile)) process.loadEnvFile?.(envFile);
const folder = resolve(process.env.TOOLMARK_DATA_DIR || join(root, '.toolmark'));
const logs = join(folder, 'logs');
const stateFile = join(folder, 'running.json');

const servers = []; // Postgres and Redis, if started by us.
const apps = []; // API, workers, simulator.
let stopping; // The shutdown promise, once requested.
let askedToStopAt = 0;
let apiUrl;
let isOurs = false; // Whether we own the data folder.

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => onSignal(signal));
const parent = process.ppid;
if (process.env.npm_lifecycle_event)
  setInterval(() => process.ppid !== parent && !stopping && onSignal('npm was killed'), 1000).unref();

try {
  await start();
} catch (error) {
  if (!stopping) {
    console.error(`\n${error.message}`);
    await stop(1);
  }
}

async function start() {
  const startedAt = Date.now();
  makeDataFolder();
  await takeOver();
  setUp(say);
  const databaseUrl = process.env.DATABASE_URL || (await keepServer('Postgres', startPostgres, 'postgres.log'));
  const redisUrl = process.env.REDIS_URL || (await keepServer('Redis', startRedis, 'redis.log'));
  migrate(databaseUrl);

  const ownToken = join(folder, 'admin-token');
  const isNewToken = !process.env.TOOLMARK_ADMIN_TOKEN && !existsSync(ownToken);
  const token =
    process.env.TOOLMARK_ADMIN_TOKEN || keepSecret(ownToken, () => `tm_${randomBytes(32).toString('base64url')}`);
  const ports = await choosePorts();
  apiUrl = `http://127.0.0.1:${ports.api}`;
  startApps(ports, {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    TOOLMARK_ADMIN_TOKEN: token,
    ...sealingKeys(),
    ...reachingSimulator(ports.simulator),
  });
  await Promise.all(apps.map((app) => app.untilReady()));

  const simulatorUrl = `http://127.0.0.1:${ports.simulator}`;
  const call = apiClient(apiUrl, token);
  if (isNewToken) say(`\nYour token: ${token}\n(kept in ${ownToken}, readable by you alone)\n`);
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = process.env;
  const untouched = await isUntouched(call);
  if (untouched) await registerSimulator(call, simulatorUrl);
  else await followSimulator(call, simulatorUrl);
  if (apiKey) await registerOpenai(call, { apiKey, ...(baseUrl && { baseUrl }) }, say);
  if (untouched) {
    const [suite] = await importExamples(call, join(root, 'examples'));
    const run = await runDemo(call, suite, { say, out: process.stdout, isStopping: () => stopping !== undefined });
    if (run) say(`\n${leaderboard(run, process.stdout.isTTY)}\n`);
  }
  if (stopping) return;
  if (process.argv.includes('--watch')) await watchSources();
  const steps = await nextSteps(call, {
    // Names this server explicitly, in case you are logged in to another one or use another folder.
    toolmark:
      `${exportedFolder ? `TOOLMARK_DATA_DIR=${quoted(folder)} ` : ''}npm run --silent toolmark -- ` +
      `--server ${apiUrl}`,
    url: apiUrl,
    token: tokenFrom(ownToken),
  });
  if (stopping) return;
  say(
    [
      `Toolmark is ready (${((Date.now() - startedAt) / 1000).toFixed(1)} s).`,
      `  Page       ${pageUrl(token)}`,
      `  API        ${apiUrl}/api   (token: ${tokenPlace(ownToken)})`,
      `  API docs   ${apiUrl}/docs`,
      `  Simulator  ${simulatorUrl}/v1`,
      `  Data, logs ${folder}`,
      ...steps,
      'Ctrl-C stops everything.',
    ].join('\n'),
  );
}

/** Those that are set, or one of its own. The file of that one may hold several, separated by commas. */
function sealingKeys() {
  const { TOOLMARK_SEALING_KEY, TOOLMARK_SEALING_KEYS } = process.env;
  if (TOOLMARK_SEALING_KEY || TOOLMARK_SEALING_KEYS) return { TOOLMARK_SEALING_KEY, TOOLMARK_SEALING_KEYS };
  const own = keepSecret(join(folder, 'sealing-key'), () => randomBytes(32).toString('hex'));
  return { [own.includes(',') ? 'TOOLMARK_SEALING_KEYS' : 'TOOLMARK_SEALING_KEY']: own };
}

/**
 * The page exchanges the token for a session and removes it from the address; a fragment reaches no server and no log.
 * A given token is never printed: the page asks for it.
 */
function pageUrl(token) {
  return process.env.TOOLMARK_ADMIN_TOKEN ? apiUrl : `${apiUrl}/#token=${token}`;
}

/** Where to find the token. A given token is never printed. */
function tokenPlace(ownToken) {
  if (!process.env.TOOLMARK_ADMIN_TOKEN) return `in ${ownToken}`;
  return exportedToken ? 'the TOOLMARK_ADMIN_TOKEN that you set' : `TOOLMARK_ADMIN_TOKEN of ${envFile}`;
}

/** Shell code that reads the token from there, within double quotes. */
function tokenFrom(ownToken) {
  if (!process.env.TOOLMARK_ADMIN_TOKEN) return `$(cat ${quoted(ownToken)})`;
  return exportedToken
    ? '$TOOLMARK_ADMIN_TOKEN'
    : `$(${quoted(node)} --env-file=${quoted(envFile)} -p process.env.TOOLMARK_ADMIN_TOKEN)`;
}

function makeDataFolder() {
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o711); // Secrets in it are readable only by their owner; Postgres may run as another user.
  }
  mkdirSync(logs, { recursive: true, mode: 0o700 });
}

/** Refuses to start twice on the same data, and ends processes left over from a killed start. */
async function takeOver() {
  const earlier = existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, 'utf8')) : undefined;
  if (earlier && earlier.pid !== process.pid && commandOf(earlier.pid)?.includes('start.mjs')) {
    throw new Error(
      `Toolmark runs already on ${folder} (process ${earlier.pid}${earlier.url ? `, ${earlier.url}` : ''}). ` +
        `Stop it with: kill ${earlier.pid}. Or give this one a folder of its own: TOOLMARK_DATA_DIR=<folder> npm start`,
    );
  }
  if (earlier) await endLeftoverApps(earlier.apps);
  isOurs = true;
  saveState();
}

/** For the next start, and for the command line, which finds the API through it. */
function saveState() {
  if (stopping) return;
  const state = { pid: process.pid, url: apiUrl, apps: apps.map((app) => app.pid) };
  writeFileSync(`${stateFile}.new`, `${JSON.stringify(state)}\n`);
  renameSync(`${stateFile}.new`, stateFile);
}

async function keepServer(name, startServer, logName) {
  const options = { folder, logFile: join(logs, logName), durable: true, say };
  const entry = { stop: async () => {} };
  servers.push(entry);
  const run = async () => {
    const server = await startServer(options);
    entry.stop = server.stop;
    void server.exited.then(() => stopping ?? startAgain());
    return server.url;
  };
  const startAgain = async () => {
    say(`${name} ended by itself and is started again; its log is ${options.logFile}`);
    // Processes of a killed Postgres may need a moment to exit.
    for (let attempt = 1; !stopping; attempt++) {
      const error = await run().then(
        () => undefined,
        (reason) => reason,
      );
      if (!error) return;
      if (attempt === RESTART_ATTEMPTS) {
        console.error(error.message);
        return stop(1);
      }
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  };
  return run();
}

function migrate(databaseUrl) {
  const { status } = spawnSync(node, [join(root, 'dist/libs/db/connection/migrate-main.js')], {
    env: { ...environment(), DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('The database could not be migrated; the reason is above.');
}

async function choosePorts() {
  const wanted = Number(process.env.PORT || 8501);
  const ports = {
    api: await freePort(wanted),
    simulator: await freePort(8502),
    workers: [await freePort(8503), await freePort(8504)],
  };
  if (process.env.PORT && wanted !== 0 && ports.api !== wanted)
    throw new Error(`Port ${wanted} (PORT) is taken. Set PORT to a free one, or to 0 for any.`);
  return ports;
}

function startApps(ports, env) {
  const { OPENAI_API_KEY: _, TOOLMARK_ADMIN_TOKEN: __, ...inherited } = environment();
  const { TOOLMARK_ADMIN_TOKEN: ___, ...workerEnv } = env;
  const add = (app, name, port, appEnv) =>
    apps.push(
      new AppProcess(app, {
        name,
        port,
        env: { NODE_ENV: 'production', NODE_COMPILE_CACHE: join(folder, 'compile-cache'), ...inherited, ...appEnv },
        logFile: join(logs, `${name.replaceAll(' ', '-')}.log`),
        say: (text) => stopping ?? say(text),
        onPid: () => setImmediate(saveState),
      }),
    );
  delete inherited.TOOLMARK_METRICS_PORT; // One process can have it: the API.
  // Exposing the API must not expose the simulator, which shows requests, nor the workers' metrics.
  const own = { TOOLMARK_HOST: '127.0.0.1' };
  add('simulator', 'simulator', ports.simulator, own);
  const { TOOLMARK_METRICS_PORT } = environment();
  add('api', 'api', ports.api, { ...env, ...(TOOLMARK_METRICS_PORT && { TOOLMARK_METRICS_PORT }) });
  ports.workers.forEach((port, index) => add('worker', `worker ${index + 1}`, port, { ...workerEnv, ...own }));
  saveState();
}

/** Lets requests go to the simulator, without a proxy, in addition to where the environment lets them go. */
function reachingSimulator(port) {
  const withSimulator = (list) => [list, `127.0.0.1:${port}`].filter(Boolean).join(',');
  const { TOOLMARK_ALLOWED_NETWORKS: allowed, NO_PROXY: direct, no_proxy: directInLowerCase } = process.env;
  return {
    TOOLMARK_ALLOWED_NETWORKS: withSimulator(allowed),
    NO_PROXY: withSimulator(direct || directInLowerCase),
  };
}

async function watchSources() {
  servers.push(await startWatching({ apps, say, isStopping: () => stopping !== undefined }));
}

function onSignal(signal) {
  if (!stopping) {
    askedToStopAt = Date.now();
    say(
      `\nStopping (${signal}); open requests get up to ${drainSecondsOf(process.env)} s. Press again to stop at once.`,
    );
    void stop(0);
  } else if (Date.now() - askedToStopAt > SAME_SIGNAL_MS) {
    for (const app of apps) app.kill();
  }
}

/** Stops clients before servers: API and workers, then the simulator, then Redis and Postgres. */
function stop(exitCode) {
  stopping ??= (async () => {
    const isSimulator = (app) => app.name === 'simulator';
    await Promise.all(apps.filter((app) => !isSimulator(app)).map((app) => app.stop()));
    await Promise.all(apps.filter(isSimulator).map((app) => app.stop()));
    for (const server of servers.reverse()) await server.stop();
    if (isOurs) rmSync(stateFile, { force: true });
    if (exitCode === 0) say('Stopped.');
    process.exit(exitCode);
  })();
  return stopping;
}
