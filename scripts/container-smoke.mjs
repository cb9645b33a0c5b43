// Uses Dockerfile and docker-compose.yml as a user would: up to the leaderboard; three workers, two of them killed
// during a run; down and up again; and a backup restored after everything was lost. Needs a Docker engine that has the
// base images or can pull them.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiClient } from './demo.mjs';
import { freePort, until } from './server-process.mjs';
import { root } from './set-up.mjs';

const MAX_IMAGE_MB = 350;
const project = `toolmark-smoke-${randomBytes(3).toString('hex')}`;
const image = `${project}:test`;
const port = await freePort(0);
const folder = mkdtempSync(join(tmpdir(), 'toolmark-containers-'));
const {
  OPENAI_API_KEY: _,
  TOOLMARK_ADMIN_TOKEN: __,
  TOOLMARK_SEALING_KEY: ___,
  TOOLMARK_SEALING_KEYS: _____,
  POSTGRES_PASSWORD: ____,
  ...inherited
} = process.env;
const env = {
  ...inherited,
  COMPOSE_FILE: join(root, 'docker-compose.yml'),
  COMPOSE_PROJECT_NAME: project,
  TOOLMARK_IMAGE: image,
  TOOLMARK_PUBLISH: `127.0.0.1:${port}`,
};

const composeCommand =
  spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' }).status === 0
    ? ['docker', 'compose']
    : ['docker-compose'];
const compose = (...args) => run([...composeCommand, ...args]);
const docker = (...args) => run(['docker', ...args]);
const containerIds = (service) => compose('ps', '-a', '-q', service).trim().split(/\s+/);
let foreground; // `docker compose up`
let token;

async function main() {
  let mark = Date.now();
  const lap = (text) => {
    console.log(`${text} (${((Date.now() - mark) / 1000).toFixed(1)} s)`);
    mark = Date.now();
  };
  lap(`Image: ${buildImage()} MB.`);
  lap(`First \`compose up\`: a leaderboard of ${await expectFirstUp()} models.`);
  const long = await submit(8);
  const stopped = await expectDataKept(long);
  lap(`Down and up again, with three workers: the data are kept, a run goes on with item ${stopped}.`);
  const killed = await expectRunSurvivesKills(long);
  lap(`Two of the workers killed at ${killed} items: the third finishes them, each scored once.`);
  const restored = await expectBackupRestores(long);
  lap(`All volumes lost, backup restored: ${restored} results, the sealed key, the open run finished, a next run.`);
}

/** @returns the size of the image in MB */
function buildImage() {
  docker('build', '-t', image, root);
  const megabytes = Math.round(Number(docker('image', 'inspect', '-f', '{{.Size}}', image)) / 1e6);
  assert.ok(megabytes < MAX_IMAGE_MB, `The image has ${megabytes} MB; ${MAX_IMAGE_MB} are allowed.`);
  return megabytes;
}

/** @returns the number of models on the leaderboard of the first start */
async function expectFirstUp() {
  const log = await upInForeground();
  assert.ok(leaderboardRows(log) >= 4, `The log shows a leaderboard of four models or more:\n${log}`);
  assert.match(log, /docker compose run --rm demo toolmark run \S+ --models simulator::/);
  assert.ok(
    log.includes(`http://127.0.0.1:${port}/api/tool-eval`) && !log.includes(token),
    'It prints the next steps, and no token.',
  );
  const page = await fetch(`http://127.0.0.1:${port}/`);
  assert.match(await page.text(), /<title>Toolmark<\/title>/, 'The image has the page.');
  for (const service of ['api', 'worker', 'simulator']) {
    const [id] = containerIds(service);
    const rights = docker('inspect', '-f', '{{.HostConfig.ReadonlyRootfs}} {{.Config.User}}', id).trim();
    assert.equal(rights, 'true 1000:1000', service);
    assert.match(docker('exec', id, 'sh', '-c', 'touch /app/x 2>&1 || id -u'), /Read-only file system\s+1000/, service);
  }
  await expectOthersRefused();
  return leaderboardRows(log);
}

/** Requests may go to the simulator, and to no other container. */
async function expectOthersRefused() {
  const elsewhere = { key: 'elsewhere', kind: 'openai', base_url: 'http://api:8501/v1' };
  await call('POST', '/api/providers', elsewhere);
  await assert.rejects(call('GET', '/api/providers/elsewhere/discover'), /TOOLMARK_ALLOWED_NETWORKS/);
  await call('DELETE', '/api/providers/elsewhere');
}

/** Stops with Ctrl-C, then starts new containers on the old volumes, as after an upgrade. */
async function expectDataKept(run) {
  foreground.kill('SIGINT');
  await foreground.ended;
  // Postgres, Redis and the simulator stayed up until the worker had settled its items.
  const exitCode = docker('inspect', '-f', '{{.State.ExitCode}}', ...containerIds('worker')).trim();
  assert.equal(exitCode, '0', 'The worker ends by itself.');
  compose('down');
  compose('up', '-d', '--scale', 'worker=3');
  await untilReady();
  assert.equal((await history()).length, 2, 'The runs are kept over down and up, and no second demo is run.');
  assert.equal(containerIds('worker').length, 3);
  const { done, total } = await progress(run);
  return `${done} of ${total}`;
}

async function expectRunSurvivesKills(run) {
  docker('kill', ...containerIds('worker').slice(0, 2));
  const { done, total } = await progress(run);
  assert.ok(done < total, 'The workers are killed while the run goes on.');
  await untilScored(run, total);
  return `${done} of ${total}`;
}

/** Backs up with a run in flight, deletes all volumes and restores. Returns the number of restored results. */
async function expectBackupRestores(finishedRun) {
  const kept = await everyResult(finishedRun);
  await call('POST', '/api/providers', {
    key: 'sealed',
    name: 'Sealed',
    kind: 'openai',
    base_url: 'http://simulator:8502/v1',
    api_key: 'a-key-to-seal',
  });
  const open = await submit(8);
  shell(commandsOf('Back up'));
  assert.notEqual((await job(open)).status, 'completed', 'The backup is made with a run in flight.');
  compose('down', '-v');
  shell(commandsOf('Restore'));
  await untilReady();
  assert.deepEqual(await everyResult(finishedRun), kept, 'Every result is back.');
  assert.equal((await history()).length, 3);
  assert.ok((await call('GET', '/api/providers/sealed/discover')).models.length > 0, "A provider's sealed key opens.");
  await untilScored(open, (await progress(open)).total);
  const nextRun = ['run', 'examples/weather.json', '--models', 'simulator::perfect-ish', '--watch'];
  const output = compose('run', '--rm', '-T', 'demo', 'toolmark', ...nextRun);
  assert.match(output, /perfect-ish/, 'The next run ends with its leaderboard.');
  return kept.length;
}

/** Submits a run of some seconds and returns it once it is running. */
async function submit(samples) {
  const { items: suites } = await call('GET', '/api/tool-suites');
  const { id: suiteId } = suites.find(({ name }) => name === 'Office assistant');
  const run = await call('POST', '/api/tool-eval', { suite_id: suiteId, models: ['simulator::slow-500'], samples });
  assert.ok(await until(async () => (await progress(run)).done > 0, 60_000), 'The run starts.');
  return run;
}

const job = (run) => call('GET', `/api/jobs/${run.job_id}`);
const progress = async (run) => (await job(run)).progress;

async function untilScored(run, total) {
  assert.ok(await until(async () => (await job(run)).finished_at !== null, 120_000), 'The run is finished.');
  const { status, summaries } = await call('GET', `/api/tool-eval/history/${run.eval_id}`);
  assert.deepEqual([status, summaries[0].scored, summaries[0].errored], ['completed', total, 0]);
  assert.equal((await everyResult(run)).length, total);
}

/** Runs `docker compose up` until the demo has ended, and returns its output. It keeps running. */
async function upInForeground() {
  let text = '';
  const [command, ...args] = composeCommand;
  foreground = spawn(command, [...args, 'up'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  foreground.ended = new Promise((resolve) => foreground.once('close', resolve));
  for (const stream of [foreground.stdout, foreground.stderr])
    stream.setEncoding('utf8').on('data', (part) => (text += part));
  const hasEnded = () => foreground.exitCode !== null || /demo.*exited with code/.test(text);
  await until(hasEnded, 180_000);
  assert.match(text, /Toolmark is ready/, `The demo succeeds:\n${text}`);
  token = compose('exec', '-T', 'api', 'cat', '/secrets/admin-token').trim();
  return text;
}

const leaderboardRows = (log) => log.split('\n').filter((line) => / +\d+ {2}\S.* %/.test(line)).length;

async function untilReady() {
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  assert.ok(await until(isReady, 60_000), 'The API becomes ready.');
  token = compose('exec', '-T', 'api', 'cat', '/secrets/admin-token').trim();
}

function call(method, path, body) {
  return apiClient(`http://127.0.0.1:${port}`, token)(method, path, body);
}

const history = async () => (await call('GET', '/api/tool-eval/history')).items;

async function everyResult(run, cursor) {
  const { items, next_cursor: next } = await call(
    'GET',
    `/api/tool-eval/history/${run.eval_id}/results?limit=100${cursor ? `&cursor=${cursor}` : ''}`,
  );
  return next ? [...items, ...(await everyResult(run, next))] : items;
}

/** The commands below a heading of docs/operations.md, so that the documented commands are those tested. */
function commandsOf(heading) {
  const [, section] = readFileSync(join(root, 'docs/operations.md'), 'utf8').split(`\n### ${heading}\n`);
  return /```\n(.*?)```/s.exec(section)[1].replaceAll('docker compose', composeCommand.join(' '));
}

const shell = (script) => run(['sh', '-euc', script]);

function run([command, ...args]) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: folder,
    env,
    encoding: 'utf8',
    maxBuffer: 64e6,
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? ''}\n${stdout}${stderr}`);
  return stdout;
}

function cleanUp() {
  foreground?.kill('SIGKILL');
  for (const step of [() => compose('down', '-v', '--timeout', '5'), () => docker('rmi', image)]) {
    try {
      step();
    } catch (error) {
      console.error(error.message);
    }
  }
  rmSync(folder, { recursive: true, force: true });
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => (cleanUp(), process.exit(130)));
try {
  await main();
} finally {
  cleanUp();
}
