// What an honest team notices of a hostile one: its run alone, and beside each way of ways.mjs in turn. Fails when
// the run took more than twice its time alone, is not exact, or had a request made twice, or when a process ended.
//    node bench/hostile/run.mjs [parts of ways' names ...] [--items=200] [--latency=500] [--at-once] [--json] [--list]
// --at-once: all of the ways together, for counts alone; --json: prints what was seen and judges nothing; --list:
// names the ways.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { differences, repeatedRequests } from '../chaos/runs.mjs';
import { until, withDeployment } from '../chaos/deployment.mjs';
import { node } from '../../scripts/set-up.mjs';
import { freePort } from '../../scripts/server-process.mjs';
import { adversary } from './adversary.mjs';
import { WAYS } from './ways.mjs';

const option = (name, otherwise) =>
  Number(process.argv.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1] ?? otherwise);
const [items, latencyMs] = [option('items', 200), option('latency', 500)];
const [atOnce, json] = ['--at-once', '--json'].map((flag) => process.argv.includes(flag));
const parts = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const names = Object.keys(WAYS).filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)));
if (names.length === 0)
  throw new Error(`No way has "${parts.join('" or "')}" in its name. There are:\n${Object.keys(WAYS).join('\n')}`);

if (process.argv.includes('--list')) {
  console.log(names.join('\n'));
  process.exit(0);
}

const CONCURRENCY = 8;
/** A run that takes so many times what it should is stuck: the next way is tried. */
const STUCK = 8;
const PATIENCE_MS = 30_000;
const beside = (file) => fileURLToPath(new URL(file, import.meta.url));
const say = (text) => process.stderr.write(`${text}\n`);
const seconds = (ms) => (ms / 1000).toFixed(1);

/** Starts a process again whenever it ends, as `npm start` and Kubernetes do, and tells when it did. */
function supervise(first, onEnd) {
  const self = { current: first, url: first.url, stopping: false };
  const watch = async () => {
    await self.current.exited;
    if (self.stopping) return;
    onEnd(first.name);
    await delay(1000);
    if (self.stopping) return;
    self.current = await self.current.again();
    void watch();
  };
  void watch();
  return self;
}

/**
 * Before the next way is measured; a process that a way has stalled for so long is ended, as a liveness probe would
 * do it.
 */
async function backAgain(one) {
  const healthy = (timeoutMs) =>
    until(
      async () => (await fetch(`${one.url}/healthz`, { signal: AbortSignal.timeout(5000) })).ok,
      `${one.current.name} to be healthy`,
      timeoutMs,
    );
  await healthy(PATIENCE_MS).catch(() => (one.current.kill('SIGKILL'), healthy(60_000)));
}

/** The process that looks at /healthz, and what it saw since it was asked last. */
function startLooking(urls) {
  const child = spawn(node, [beside('look.mjs'), ...urls], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    seen: async () => (child.stdin.write('\n'), JSON.parse((await lines.next()).value)),
    stop: () => child.stdin.end(),
  };
}

async function startProvider() {
  const port = String(await freePort());
  const child = spawn(node, [beside('provider.mjs')], {
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
  const looking = startLooking([api.url, ...workers.map(({ url }) => url)]);
  try {
    const honest = await team(call, 'honest');
    const hostile = await team(call, 'hostile');
    await sql.query('UPDATE team SET running_jobs_per_user = 60');
    const model = `slow-${latencyMs}:honest`;
    await honest.call('POST', '/api/providers', {
      key: 'own',
      base_url: `${simulator.url}/v1`,
      api_key: 'sk-own-0123456789',
      limits: { max_concurrency: CONCURRENCY },
      models: [{ id: model }],
    });
    const example = await honest.call('GET', '/api/tool-eval/import/example');
    const suiteOf = async (name, cases) =>
      (
        await honest.call('POST', '/api/tool-eval/import', {
          ...example,
          name,
          test_cases: Array.from({ length: cases }, (_, n) => ({
            prompt: `What is the weather in Paris? (${name} ${n})`,
            expected_tool: 'get_weather',
            expected_params: { city: 'Paris' },
          })),
        })
      ).suite_id;

    /**
     * The honest run, from before its submit to its end; a submit that finds no API is tried again with the same
     * key, and made once.
     */
    let runs = 0;
    const prepare = async (cases = items) => {
      const name = `honest ${runs++}`;
      return { name, items: cases, suiteId: await suiteOf(name, cases) };
    };
    const play = async ({ suiteId, ...run }, timeoutMs) => {
      const from = Date.now();
      const submit = () =>
        fetch(`${api.url}/api/tool-eval`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${honest.token}`,
            'content-type': 'application/json',
            'idempotency-key': run.name,
          },
          body: JSON.stringify({ suite_id: suiteId, models: [`own::${model}`], cache: 'off' }),
          signal: AbortSignal.timeout(timeoutMs),
        });
      const { eval_id: evalId, job_id: jobId } = await until(
        async () => {
          const answer = await submit();
          return answer.status === 202 && answer.json();
        },
        'the honest run to be submitted',
        timeoutMs,
      );
      const ended = async () =>
        (await sql.query(`SELECT finished_at FROM run WHERE id = $1 AND status = 'completed'`, [evalId])).rows[0];
      const end = await until(ended, 'the honest run to end', timeoutMs).catch(() => undefined);
      if (!end) {
        const {
          rows: [{ n }],
        } = await sql.query('SELECT sum(settled)::int AS n FROM target WHERE run_id = $1', [evalId]);
        await until(() => honest.call('POST', `/api/jobs/${jobId}/cancel`), 'the honest run to be cancelled');
        return {
          ms: Infinity,
          wrong: [`${n} of ${run.items} items in ${seconds(timeoutMs)} s`],
          repeated: await repeatedRequests(simulator.url, [run]),
        };
      }
      return {
        ms: end.finished_at - from,
        wrong: await differences(sql, { ...run, evalId, items: run.items }),
        repeated: await repeatedRequests(simulator.url, [run]),
      };
    };

    const idealMs = (items / CONCURRENCY) * latencyMs;
    await play(await prepare(CONCURRENCY), 60_000); // The lane is known, its workers listen.
    const alone = [];
    for (let n = 0; n < (atOnce ? 1 : 2); n++) alone.push(await play(await prepare(), 10 * idealMs));
    const aloneMs = (alone[0].ms + alone.at(-1).ms) / 2;
    const quiet = await looking.seen();
    say(
      `${cpus().length} cores, ${cpus()[0].model.trim()}; the honest run alone: ` +
        `${alone.map(({ ms }) => seconds(ms)).join(' s, ')} s; longest /healthz: ` +
        `${Math.round(longest(quiet))} ms\n`,
    );
    if (!json)
      console.log(
        '| beside | time, s | of its time alone | longest /healthz, ms: API, workers | processes ' +
          'ended | requests made twice | what became of the hostile |\n|---|---|---|---|---|---|---|',
      );

    for (const group of atOnce ? [names] : names.map((name) => [name])) {
      const run = await prepare();
      await looking.seen();
      ends.length = 0;
      const way = (name) => adversary({ api, sql, provider, tokens: hostile.tokens, teamId: hostile.teamId, name });
      const adversaries = group.map(way);
      const failures = [];
      let honestRun = { ms: NaN, wrong: [], repeated: NaN };
      try {
        await Promise.all(
          adversaries.map(async (one, n) => {
            await one.ready;
            await WAYS[group[n]](one).catch((error) => failures.push(`${group[n]} did not begin: ${error.message}`));
          }),
        );
        await delay(1000);
        honestRun = await play(run, STUCK * idealMs).catch((error) => ({
          ms: Infinity,
          wrong: [error.message],
          repeated: NaN,
        }));
      } finally {
        const outcomes = await Promise.all(adversaries.map((one) => one.outcome().catch((error) => error.message)));
        const health = await looking.seen();
        for (const one of adversaries) one.endAll();
        for (const one of supervised) await backAgain(one).catch((error) => failures.push(error.message));
        for (const one of adversaries) await one.stop().catch((error) => failures.push(error.message));
        await cancelAll(sql, honest);
        rows.push({
          names: group,
          ms: honestRun.ms,
          ratio: honestRun.ms / aloneMs,
          wrong: honestRun.wrong,
          repeated: honestRun.repeated,
          ended: [...ends],
          failures,
          outcomes,
          health: Object.values(health).map(({ answers, refused, longestMs }) => ({
            answers,
            refused,
            longestMs: Math.round(longestMs),
          })),
        });
      }
      if (!json) console.log(row(rows.at(-1)));
    }
    if (json) console.log(JSON.stringify({ items, aloneMs, rows }));
  } finally {
    for (const one of supervised) one.stopping = true;
    looking.stop();
    provider.stop();
  }
});

async function team(call, name) {
  const {
    id: teamId,
    token: { token },
  } = await call('POST', '/api/teams', { name });
  const asTeam = (method, path, body) => call(method, path, body, token);
  const { token: viewer } = await asTeam('POST', '/api/tokens', { name: 'viewer', role: 'viewer', user: 'viewer' });
  return { teamId, token, tokens: { owner: token, viewer }, call: asTeam };
}

/** A run whose submit nobody waited for any longer may have begun all the same. */
async function cancelAll(sql, { teamId, call }) {
  const { rows: jobs } = await sql.query('SELECT id FROM job WHERE team_id = $1 AND finished_at IS NULL', [teamId]);
  for (const { id } of jobs) await call('POST', `/api/jobs/${id}/cancel`);
}

function longest(health) {
  return Math.max(...Object.values(health).map(({ longestMs }) => longestMs));
}

function faultsOf({ ratio, wrong, repeated, ended, failures }) {
  return [
    ...(ratio > 2 ? ['more than twice its time'] : []),
    ...wrong,
    ...failures,
    ...(repeated > 0 ? ['requests made twice'] : []),
    ...(ended.length ? ['processes ended'] : []),
  ];
}

function row(seen) {
  const [ofApi, ...ofWorkers] = seen.health;
  const health = [ofApi.longestMs, Math.max(...ofWorkers.map(({ longestMs }) => longestMs))].join(', ');
  const faults = faultsOf(seen);
  const cells = [
    seen.names.join(' + '),
    seconds(seen.ms),
    seen.ratio.toFixed(2),
    health,
    seen.ended.length ? seen.ended.join(', ') : '0',
    seen.repeated,
    seen.outcomes.join('; ') + (faults.length ? ` **${faults.join('; ')}**` : ''),
  ];
  return `| ${cells.join(' | ')} |`;
}

process.exit(!json && rows.some((seen) => faultsOf(seen).length > 0) ? 1 : 0);
