// The effect of a hostile team on an honest one: its run alone, and during each attack of attacks.mjs in turn. Fails if
// the run takes more than twice its time alone (1.2 times beside conversations), is not exact or has a request made
// twice, if one in twenty of the requests of the team takes more than 250 ms, if the API has more than 700 MB or a
// worker more than 800, or if a process ends.
//   node bench/hostile/run.mjs [parts of names ...] [--items=200] [--latency=500] [--at-once[=8]] [--json] [--list]
// --at-once: all attacks together, or in groups of this size, at half the size, for counts only; --json: prints the
// measurements without judging them; --list: prints the names of the attacks.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { until, withDeployment } from '../chaos/deployment.mjs';
import { node } from '../../scripts/set-up.mjs';
import { freePort } from '../../scripts/server-process.mjs';
import { Adversary } from './adversary.mjs';
import { ATTACKS, SIGNS } from './attacks.mjs';
import { CONVERSATION_ATTACKS, CONVERSATION_RATIO } from './conversation-attacks.mjs';
import { HonestTeam } from './honest-team.mjs';

const option = (name, otherwise) =>
  Number(process.argv.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1] ?? otherwise);
const [items, latencyMs] = [option('items', 200), option('latency', 500)];
const atOnce = process.argv.includes('--at-once') ? Infinity : option('at-once', 0);
const json = process.argv.includes('--json');
const parts = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const names = Object.keys(ATTACKS).filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)));
if (names.length === 0)
  throw new Error(`No attack name contains "${parts.join('" or "')}". Attacks:\n${Object.keys(ATTACKS).join('\n')}`);

if (process.argv.includes('--list')) {
  console.log(names.join('\n'));
  process.exit(0);
}

/** A run that takes this many times its ideal time is stuck, and the next attack is tried. */
const STUCK_RATIO = 8;
const IDLE_MS = 75_000;
const MAX_P95_MS = 250;
const MAX_MB = { api: 700, worker: 800 };
const PATIENCE_MS = 30_000;
const besideThis = (file) => fileURLToPath(new URL(file, import.meta.url));
const say = (text) => process.stderr.write(`${text}\n`);
const seconds = (ms) => (ms / 1000).toFixed(1);

/** Restarts a process whenever it exits, as `npm start` and Kubernetes do, and reports each exit. */
function supervise(first, onEnd) {
  const self = { current: first, url: first.url, stopping: false };
  const watch = async () => {
    await self.current.exited;
    if (self.stopping) return;
    onEnd(first.name);
    await delay(1000);
    if (self.stopping) return;
    self.current = await self.current.startAgain();
    void watch();
  };
  void watch();
  return self;
}

const inMs = ({ medianMs, p95Ms }) => `${Math.round(medianMs)}, ${Math.round(p95Ms)}`;

/** A minute after the last attack, idle threads have ended. */
async function sayMemory(memory) {
  const mb = () => memory.now().map(Math.round).join(', ');
  const atEnd = mb();
  await delay(IDLE_MS);
  say(`\nMemory of the API and the workers after the last attack: ${atEnd} MB; ${IDLE_MS / 1000} s later: ${mb()} MB`);
}

/** Waits for a process before the next measurement, and kills one that stays stalled, as a liveness probe would. */
async function untilHealthy(one) {
  const healthy = (timeoutMs) =>
    until(
      async () => (await fetch(`${one.url}/healthz`, { signal: AbortSignal.timeout(5000) })).ok,
      `${one.current.name} to be healthy`,
      timeoutMs,
    );
  await healthy(PATIENCE_MS).catch(() => (one.current.kill('SIGKILL'), healthy(60_000)));
}

/** Starts the process that polls /healthz and the team's data. `seen` returns its measurements since the last call. */
function watchHealth(urls, token) {
  const child = spawn(node, [besideThis('watch-health.mjs'), ...urls], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, TOKEN: token },
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    seen: async () => (child.stdin.write('\n'), JSON.parse((await lines.next()).value)),
    stop: () => child.stdin.end(),
  };
}

/** The memory of each process. `seen` returns the maximum since the last call, in MB. */
function watchMemory(supervised) {
  const most = supervised.map(() => 0);
  const now = () => supervised.map(({ current }) => residentMb(current.pid));
  const look = () => now().forEach((mb, index) => (most[index] = Math.max(most[index], mb)));
  const timer = setInterval(look, 100);
  return { now, seen: () => (look(), most.splice(0, most.length, ...now())), stop: () => clearInterval(timer) };
}

function residentMb(pid) {
  try {
    return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096) / 1e6;
  } catch {
    return 0; // The process has exited.
  }
}

async function startProvider() {
  const port = String(await freePort());
  const child = spawn(node, [besideThis('provider.mjs')], {
    env: { PATH: process.env.PATH, PORT: port },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${url}/healthz`)).ok, 'the hostile provider');
  return { url, stop: () => child.kill('SIGTERM') };
}

const rows = [];
await withDeployment({}, async ({ sql, call, simulator, apis: [api], worker }) => {
  const ends = [];
  const workers = [await worker(), await worker()];
  const supervised = [api, ...workers].map((one) =>
    supervise(one, (name) => (ends.push(name), say(`The ${name} ended.`))),
  );
  const provider = await startProvider();
  const honest = await HonestTeam.create({ call, sql, api, simulator, latencyMs });
  const health = watchHealth([api.url, ...workers.map(({ url }) => url)], honest.token);
  const memory = watchMemory(supervised);
  try {
    const newTeam = (name) => createTeam({ call, sql }, name);
    const hostile = await newTeam('hostile');
    const aloneMs = await measureAlone(honest, health, memory);
    if (!json) printHeader();
    for (const group of inGroups(names, atOnce || 1)) {
      const adversaries = group.map((name) => new Adversary({ api, sql, provider, newTeam, ...hostile, name }));
      rows.push(await measureBeside({ adversaries, honest, aloneMs, health, memory, supervised, ends }));
      if (!json) console.log(row(rows.at(-1)));
    }
    if (json) console.log(JSON.stringify({ items, aloneMs, rows }));
    else await sayMemory(memory);
  } finally {
    for (const one of supervised) one.stopping = true;
    health.stop();
    memory.stop();
    provider.stop();
  }
});

function inGroups(list, size) {
  const groups = [];
  for (let first = 0; first < list.length; first += size) groups.push(list.slice(first, first + size));
  return groups;
}

async function createTeam({ call, sql }, name) {
  const { id: teamId, token } = await call('POST', '/api/teams', { name });
  await sql.query('UPDATE team SET running_jobs_per_user = 60 WHERE id = $1', [teamId]);
  const viewer = { name: 'viewer', role: 'viewer', user: 'viewer' };
  const viewerToken = await call('POST', '/api/tokens', viewer, token.token);
  return { teamId, tokens: { owner: token.token, viewer: viewerToken.token } };
}

/** The honest run without an attack; the mean of two, or a single one if only counts matter. */
async function measureAlone(honest, health, memory) {
  await honest.play(await honest.prepare(HonestTeam.CONCURRENCY), 60_000); // By now the lane exists and workers listen.
  const alone = [];
  for (let n = 0; n < (atOnce ? 1 : 2); n++)
    alone.push(await honest.play(await honest.prepare(items), 10 * honest.idealMs(items)));
  const { health: answers, requests } = await health.seen();
  const longestMs = Math.max(...Object.values(answers).map((one) => one.longestMs));
  say(
    `${cpus().length} cores, ${cpus()[0].model.trim()}; the honest run alone: ` +
      `${alone.map(({ ms }) => seconds(ms)).join(' s, ')} s; longest /healthz: ${Math.round(longestMs)} ms; ` +
      `its requests: ${inMs(requests)} ms; memory: ${memory.seen().map(Math.round).join(', ')} MB\n`,
  );
  return (alone[0].ms + alone.at(-1).ms) / 2;
}

async function measureBeside({ adversaries, honest, aloneMs, health, memory, supervised, ends }) {
  const run = await honest.prepare(items);
  await health.seen();
  memory.seen();
  ends.length = 0;
  const failures = [];
  const note = (error) => failures.push(error.message);
  let honestRun = { ms: NaN, wrong: [], repeated: NaN };
  let outcomes, seen;
  try {
    const begins = [];
    const prepare = async (one) => {
      const doesNotBegin = (error) => void failures.push(`${one.name} did not begin: ${error.message}`);
      const begin = await ATTACKS[one.name](one, atOnce ? 1 / 2 : 1).catch(doesNotBegin);
      if (begin) begins.push(() => Promise.try(begin).catch(doesNotBegin));
    };
    await Promise.all(adversaries.map(prepare));
    for (const begin of begins) await begin();
    await delay(1000);
    honestRun = await honest
      .play(run, STUCK_RATIO * honest.idealMs(items))
      .catch((error) => ({ ms: Infinity, wrong: [error.message], repeated: NaN }));
  } finally {
    seen = await health.seen();
    outcomes = await Promise.all(
      adversaries.map((one) => outcomeWithSign(one).catch((error) => (note(error), error.message))),
    );
    for (const one of adversaries) one.end();
    for (const one of supervised) await untilHealthy(one).catch(note);
    for (const one of adversaries) await one.stop().catch(note);
    await honest.cancelAll();
  }
  return {
    names: adversaries.map(({ name }) => name),
    ...honestRun,
    ratio: honestRun.ms / aloneMs,
    ended: [...ends],
    failures,
    outcomes,
    requests: seen.requests,
    memory: memory.seen().map(Math.round),
    health: Object.values(seen.health).map(({ answers, refused, longestMs }) => ({
      answers,
      refused,
      longestMs: Math.round(longestMs),
    })),
  };
}

/** The honest run may end before a slow attack has had any visible effect. */
async function outcomeWithSign(adversary) {
  const sign = SIGNS[adversary.name] ?? /^/;
  let outcome;
  const hasShown = async () => sign.test((outcome = await adversary.outcome()));
  return until(hasShown, `${adversary.name} to show`, PATIENCE_MS).then(
    () => outcome,
    (error) => {
      throw new Error(`${error.message} What became of it: ${outcome}`);
    },
  );
}

function printHeader() {
  const columns = [
    'beside',
    'time, s',
    'of its time alone',
    'its requests, ms: median, p95',
    'longest /healthz, ms: API, workers',
    'memory, MB: API, workers',
    'processes ended',
    'requests made twice',
    'what became of the attack',
  ];
  console.log(`| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}`);
}

function mostOf(names) {
  return names.every((name) => name in CONVERSATION_ATTACKS) ? CONVERSATION_RATIO : 2;
}

function faultsOf({ names, ratio, wrong, repeated, ended, failures, requests, memory: [ofApi, ...ofWorkers] }) {
  return [
    ...(ratio > mostOf(names) ? [`more than ${mostOf(names)} times its time`] : []),
    ...(requests.p95Ms > MAX_P95_MS ? ['its requests are late'] : []),
    ...(requests.refused.length ? [`its requests are refused: ${requests.refused[0].slice(0, 200)}`] : []),
    ...(ofApi > MAX_MB.api ? ['the API has too much memory'] : []),
    ...(Math.max(...ofWorkers) > MAX_MB.worker ? ['a worker has too much memory'] : []),
    ...wrong,
    ...failures,
    ...(repeated > 0 ? ['requests made twice'] : []),
    ...(ended.length ? ['processes ended'] : []),
  ];
}

function row(seen) {
  const [ofApi, ...ofWorkers] = seen.health;
  const [ofApiMb, ...ofWorkersMb] = seen.memory;
  const health = [ofApi.longestMs, Math.max(...ofWorkers.map(({ longestMs }) => longestMs))].join(', ');
  const faults = faultsOf(seen);
  const cells = [
    seen.names.join(' + '),
    seconds(seen.ms),
    seen.ratio.toFixed(2),
    inMs(seen.requests),
    health,
    [ofApiMb, Math.max(...ofWorkersMb)].join(', '),
    seen.ended.length ? seen.ended.join(', ') : '0',
    seen.repeated,
    seen.outcomes.join('; ') + (faults.length ? ` **${faults.join('; ')}**` : ''),
  ];
  return `| ${cells.join(' | ')} |`;
}

process.exit(!json && rows.some((seen) => faultsOf(seen).length > 0) ? 1 : 0);
