// A Toolmark on this machine for the requests: throw-away stores, an API, a worker and the simulator, with their logs.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { migrate, productEnv, TOKEN } from '../../bench/product.mjs';
import { startPostgres } from '../../scripts/postgres.mjs';
import { startRedis } from '../../scripts/redis.mjs';
import { freePort, until } from '../../scripts/server-process.mjs';
import { MEMORY_ENV, MEMORY_FLAGS, node, root } from '../../scripts/set-up.mjs';

/** The product of benchmarks has wide limits, so that requests meet it and not them; but for wrong tokens. */
const environmentOf = (stores, withDefaultLimits) => {
  const env = productEnv({ ...stores, database: 'fuzz', logLevel: 'info' });
  if (!withDefaultLimits) return { ...env, TOOLMARK_FAILED_SIGN_INS_PER_MINUTE: '1000000' };
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/_PER_(MINUTE|TOKEN)$/.test(name)));
};
const say = (text) => process.stderr.write(`${text}\n`);

/** Calls `use` with `{url, token, simulatorUrl, processes}`, then stops everything. */
export async function withToolmark({ withDefaultLimits = false }, use) {
  const folder = mkdtempSync(join(tmpdir(), 'toolmark-fuzz-'));
  chmodSync(folder, 0o711); // Postgres may run as another user.
  const stores = [];
  const processes = [];
  try {
    const store = async (start, name) => {
      stores.push(await start({ folder, logFile: join(folder, `${name}.log`), durable: false, say }));
      return stores.at(-1).url;
    };
    const postgresUrl = await store(startPostgres, 'postgres');
    const redisUrl = await store(startRedis, 'redis');
    const env = environmentOf({ postgresUrl, redisUrl }, withDefaultLimits);
    migrate(env);
    for (const name of ['simulator', 'api', 'worker']) processes.push(await startProcess(name, env));
    const [simulator, api, worker] = processes;
    await use({ url: api.url, token: TOKEN, simulatorUrl: simulator.url, processes: [api, worker] });
  } finally {
    for (const started of processes) await started.stop();
    for (const started of stores.reverse()) await started.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The simulator alone, for a Toolmark that runs already. */
export async function withSimulator(use) {
  const simulator = await startProcess('simulator', {});
  try {
    await use(simulator.url);
  } finally {
    await simulator.stop();
  }
}

async function startProcess(name, env) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const guard = ['--import', join(root, 'scripts/stop-with-parent.mjs')];
  const child = spawn(node, [...MEMORY_FLAGS, ...guard, join(root, `dist/apps/${name}/main.js`)], {
    env: { PATH: process.env.PATH, ...MEMORY_ENV, ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let logs = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (logs += part));
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  const isHealthy = () =>
    fetch(`${url}/healthz`).then(
      async (answer) => (await answer.json()).status === 'ok',
      () => false,
    );
  const stop = async () => {
    if (!hasExited()) child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
    await exited;
    clearTimeout(timer);
  };
  await until(async () => hasExited() || (await isHealthy()), 120_000);
  if (hasExited() || !(await isHealthy())) throw new Error(`The ${name} did not start:\n${logs}`);
  return { name, url, hasExited, logs: () => logs, stop };
}

const WEATHER = {
  name: 'get_weather',
  description: 'Get current weather for a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

/** An MCP server in this process, which does not keep it alive. @returns its URL */
export async function startToolServer() {
  const server = createServer(async (request, response) => {
    const { id, method, params } = JSON.parse((await text(request)) || '{}');
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (id === undefined) return void response.writeHead(202).end();
    const { protocolVersion } = params ?? {};
    const hello = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'weather', version: '1' } };
    const result = method === 'initialize' ? hello : { tools: [WEATHER, { ...WEATHER, name: 'get_news' }] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return `http://127.0.0.1:${server.address().port}`;
}
