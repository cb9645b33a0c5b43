// A system with results of real shapes, to look at the page with: few and many models and cases, 400 nights, an
// errored half, ties, names of 200 characters, right-to-left text, tunes, gates and a judge. Simulated models reply,
// and workers settle, so that everything is kept as workers keep it. It stays until Ctrl-C. A shape is made once; name
// it to make it again.
//   TOOLMARK_DATA_DIR=<.toolmark/shapes> PORT=<8600> node bench/web/shapes.mjs [shape ...]
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { apiClient } from '../../scripts/demo.mjs';
import { node, root } from '../../scripts/set-up.mjs';
import { apiCaller, interruption, TOKEN } from '../product.mjs';
import { openLoader } from '../scale/million.mjs';
import { loops } from './shapes/loops.mjs';
import { runs } from './shapes/runs.mjs';
import { teach } from './shapes/models.mjs';

const SHAPES = { ...runs, ...loops };
const folder = resolve(process.env.TOOLMARK_DATA_DIR ?? join(root, '.toolmark/shapes'));
const placesFile = join(folder, 'shapes.json');
const url = `http://127.0.0.1:${process.env.PORT ?? 8600}`;

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !SHAPES[name]);
if (unknown.length > 0) throw new Error(`No shape ${unknown.join(', ')}. They are ${Object.keys(SHAPES).join(', ')}.`);

const interrupted = interruption();
const system = (await isUp()) ? undefined : startSystem();
try {
  await Promise.race([interrupted, make()]);
  if (system) await Promise.race([interrupted, system.ended]);
} catch (error) {
  if (error.message !== 'Interrupted.') throw error;
} finally {
  await system?.stop();
}

async function make() {
  while (!(await isUp())) await delay(200);
  const call = apiCaller(() => url);
  const simulator = await followSimulator(call);
  const sql = await openLoader(databaseUrl());
  await teach(simulator);
  const places = readPlaces();
  const missing = Object.keys(SHAPES).filter((name) => (asked.length > 0 ? asked.includes(name) : !places[name]));
  const makeOne = async (name) => {
    const started = performance.now();
    try {
      const made = await SHAPES[name](toolsFor({ call, simulator, sql }));
      // Another process may have made other shapes meanwhile.
      writeFileSync(placesFile, JSON.stringify({ ...readPlaces(), [name]: made }, null, 2));
    } catch (error) {
      console.error(`${name} was not made.`, error);
      return;
    }
    console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  };
  // The many small runs wait more than they work.
  const isLong = (name) => name === 'nights';
  await Promise.all([
    ...missing.filter(isLong).map(makeOne),
    missing
      .filter((name) => !isLong(name))
      .reduce((before, name) => before.then(() => makeOne(name)), Promise.resolve()),
  ]);
  await sql.end();
  console.log(`\n${url}/#token=${TOKEN}`);
  for (const [name, of] of Object.entries(readPlaces()))
    for (const [what, path] of Object.entries(of)) console.log(`${name.padEnd(10)} ${what.padEnd(34)} ${path}`);
}

function readPlaces() {
  return existsSync(placesFile) ? JSON.parse(readFileSync(placesFile, 'utf8')) : {};
}

async function inTurn(names, makeOne) {
  for (const name of names) await makeOne(name);
}

/** What a shape is made with. */
function toolsFor({ call, simulator, sql }) {
  const ended = async (jobId) => {
    for (;;) {
      const job = await call('GET', `/api/jobs/${jobId}`);
      if (job.finished_at !== null) return job;
      await delay(100);
    }
  };
  return {
    call,
    sql,
    ended,
    control: (path, body) => control(simulator, path, body),
    /** Registers a provider of simulated models, or replaces its models. */
    async provider(key, name, models) {
      // A key of its own, so that it shares no limits with the others.
      const fields = {
        name,
        base_url: `${simulator}/v1`,
        api_key: `of-${key}`,
        limits: { max_concurrency: 2000 },
        models,
      };
      const isThere = (await call('GET', '/api/providers?limit=200')).items.some((one) => one.key === key);
      return isThere
        ? call('PATCH', `/api/providers/${key}`, fields)
        : call('POST', '/api/providers', { key, ...fields });
    },
    suite: async (suite) => (await call('POST', '/api/tool-eval/import', suite)).suite_id,
    /** Submits a run whose models are all asked, and waits until it has ended. */
    async run(input) {
      const submitted = await call('POST', '/api/tool-eval', { model_order: 'parallel', cache: 'off', ...input });
      const { status } = await ended(submitted.job_id);
      if (status !== 'completed') throw new Error(`Run ${submitted.eval_id} ended as ${status}.`);
      return submitted.eval_id;
    },
  };
}

async function control(simulator, path, body) {
  const response = await fetch(`${simulator}/control/${path}`, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

function isUp() {
  return fetch(`${url}/healthz`).then(
    (response) => response.ok,
    () => false,
  );
}

function startSystem() {
  const child = spawn(node, [join(root, 'scripts/start.mjs')], {
    env: {
      ...process.env,
      TOOLMARK_DATA_DIR: folder,
      PORT: new URL(url).port,
      TOOLMARK_ADMIN_TOKEN: TOKEN,
      TOOLMARK_DRAIN_SECONDS: '0',
      // Models that take 20 s are asked by hundreds at a time.
      TOOLMARK_REPLIES_MIB: '16384',
    },
    stdio: 'inherit',
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    ended,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** @returns the simulator's address, which its providers follow: its port may have changed since the last start */
async function followSimulator(call) {
  const client = apiClient(url, TOKEN);
  const first = () => client('GET', '/api/providers/simulator').catch(() => undefined);
  let provider;
  while (!(provider = await first()) || !(await isSimulator(provider.base_url))) await delay(200);
  for (const { key, base_url: base } of (await call('GET', '/api/providers?limit=200')).items)
    if (base !== provider.base_url && base.startsWith('http://127.0.0.1:'))
      await call('PATCH', `/api/providers/${key}`, { base_url: provider.base_url });
  return provider.base_url.replace('/v1', '');
}

function isSimulator(base) {
  return fetch(`${base}/models`).then(
    (response) => response.ok,
    () => false,
  );
}

function databaseUrl() {
  if (process.env.DATABASE_URL) return process.env.DATABASE_URL;
  const { password, port } = JSON.parse(readFileSync(join(folder, 'postgres.json'), 'utf8'));
  return `postgresql://toolmark:${password}@127.0.0.1:${port}/toolmark`;
}
