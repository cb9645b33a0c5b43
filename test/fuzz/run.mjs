// `npm run fuzz`: generated requests to every operation of a running Toolmark, and packets to its live connections.
//   npm run fuzz -- [--seed=1] [--requests=1000] [--default-limits] [--only=part of an operation]
//   npm run fuzz -- --url=http://127.0.0.1:8501 --token=<an owner of the team "default">
// Without --url it starts one. The same seed makes the same requests; what they meet depends on the server. It fails if
// anything is wrong: an answer 5xx or after 5 s, another team's things, a secret, a job that does not end, a process
// that exits (test/fuzz/faults.mjs).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { root } from '../../scripts/set-up.mjs';
import { ANY_TOKEN, LONGEST_MS } from './faults.mjs';
import { whisper } from './raw.mjs';
import { send } from './send.mjs';
import { talk } from './sockets.mjs';
import { startToolServer, withSimulator, withToolmark } from './system.mjs';
import { Walk } from './walk.mjs';

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    requests: { type: 'string', default: '1000' },
    url: { type: 'string' },
    token: { type: 'string' },
    only: { type: 'string', default: '' },
    'default-limits': { type: 'boolean', default: false },
  },
});
const [seed, requests] = [Number(options.seed), Number(options.requests)];
/** What every operation does wrong is shown of some. */
const MOST_ALIKE = 4;
const say = (text) => process.stderr.write(`${text}\n`);
const { ids } = JSON.parse(readFileSync(join(root, 'libs/contracts/examples/captured.json'), 'utf8'));
const exampleIds = { ...ids, rescore: '019aa8a2-5c1e-7000-8000-000000000081' };

if (options.url) {
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(new URL(options.url).hostname))
    throw new Error('Only a Toolmark on this machine is attacked: --url=http://127.0.0.1:<port>');
  await withSimulator((simulatorUrl) =>
    fuzz({ url: options.url.replace(/\/$/, ''), token: options.token, simulatorUrl, processes: [] }),
  );
} else await withToolmark({ withDefaultLimits: options['default-limits'] }, fuzz);

async function fuzz({ url, token, simulatorUrl, processes }) {
  const toolsUrl = await startToolServer();
  const walk = new Walk({ url, token, simulatorUrl, toolsUrl, seed, exampleIds });
  await walk.prepare();
  if (options.only) walk.operations = walk.operations.filter(({ name }) => name.includes(options.only));
  const before = await walk.stillness();
  const health = watchHealth(walk);
  for (let n = 0; n < requests && !processes.some((one) => one.hasExited()); n++) {
    await walk.play(n);
    if ((n + 1) % 500 === 0) say(`${n + 1} requests, ${walk.faults.size} faults`);
  }
  if (!options.only) await whisper(walk);
  await talk(walk, Math.ceil(requests / 20));
  const after = await walk.stillness();
  for (const [path, text] of before)
    if (after.get(path) !== text)
      walk.note(`GET ${path}`, `the other team's has changed: ${difference(text, after.get(path))}`);
  for (const { id, type, status } of await walk.endJobs())
    walk.note('jobs', `${type} ${id} is ${status} and does not end`);
  await health.stop();
  for (const one of processes) judgeProcess(walk, one);
  report(walk);
}

/** /healthz answers throughout. */
function watchHealth(walk) {
  const ended = new AbortController();
  const watch = async () => {
    while (!ended.signal.aborted) {
      const { status, tookMs } = await send(walk.url, { method: 'GET', path: '/healthz', headers: {}, sent: 1 });
      if (status !== 200 || tookMs > LONGEST_MS) walk.note('/healthz', `${status} after ${Math.round(tookMs)} ms`);
      await delay(100);
    }
  };
  const watching = watch();
  return { stop: () => (ended.abort(), watching) };
}

function judgeProcess(walk, one) {
  if (one.hasExited()) walk.note(one.name, `the process has exited:\n${one.logs().slice(-3000)}`);
  const secrets = [walk.token, ...walk.teams.flatMap((team) => team.secrets)];
  for (const line of one.logs().split('\n')) {
    if (secrets.some((secret) => line.includes(secret)) || ANY_TOKEN.test(line))
      walk.note(one.name, `a secret is in its log: ${line.slice(0, 300)}`);
    if (/"level":(50|60|"error"|"fatal")/.test(line)) walk.note(one.name, `it logged: ${line.slice(0, 1500)}`);
  }
}

function difference(before, after = '') {
  const at = [...before].findIndex((character, index) => after[index] !== character);
  return `${before.slice(Math.max(0, at - 60), at + 80)} -> ${after.slice(Math.max(0, at - 60), at + 80)}`;
}

function report({ faults, statuses, slowest, played, operations }) {
  const all = new Map();
  for (const of of statuses.values()) for (const [status, n] of of) all.set(status, (all.get(status) ?? 0) + n);
  const counts = [...all].sort(([a], [b]) => a - b).map(([status, n]) => `${n} x ${status || 'cut'}`);
  const never = operations.flatMap(({ name }) => {
    const seen = [...(statuses.get(name) ?? [])];
    const isDone = seen.some(([status]) => status >= 200 && status < 300);
    return isDone ? [] : `${name} (${seen.map(([status, n]) => `${n} x ${status || 'cut'}`).join(', ')})`;
  });
  console.log(`seed ${seed}: ${played} requests to ${operations.length} operations: ${counts.join(', ')}`);
  const slow = slowest.map(({ name, status, tookMs }) => `${name} ${status} ${Math.round(tookMs)} ms`);
  console.log(`slowest: ${slow.join(', ')}`);
  if (never.length) console.log(`never answered 2xx: ${never.join(', ')}`);
  for (const alike of Map.groupBy(faults.values(), ({ sentence }) => sentence.slice(0, 40)).values()) {
    for (const { name, sentence, n, curl, times } of alike.slice(0, MOST_ALIKE))
      console.log(`\n${name}: ${sentence} (${times} times, first at request ${n} of seed ${seed})\n  ${curl}`);
    if (alike.length > MOST_ALIKE) console.log(`\n... and ${alike.length - MOST_ALIKE} more operations like that`);
  }
  console.log(faults.size ? `\n${faults.size} faults.` : 'All is well.');
  process.exitCode = faults.size ? 1 : 0;
}
