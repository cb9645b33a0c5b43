// Random, seeded faults in a working deployment: workers killed and frozen, Redis emptied and killed, Postgres
// restarted in immediate mode, APIs killed. Nothing helps it to recover afterwards.
import { setTimeout as delay } from 'node:timers/promises';
import { watchJob } from '../../dist/libs/client/watch-job.js';
import { TOKEN } from '../product.mjs';
import { withDeployment } from './deployment.mjs';
import { completed, differences, mostInFlight, repeatedRequests, settledOf, submitRun } from './runs.mjs';

const WORKERS = 3;
/** A worker that freezes for longer than its lease loses its items. */
const LEASE_MS = 10_000;
/** A worker holds at most twice the concurrency in items, which limits the requests repeated after a kill or freeze. */
const MAX_CLAIMED_SHARE = 2;

/**
 * Plays `seconds` of faults during two concurrent runs of `items` items, on two lanes with `concurrency` requests in
 * flight each.
 * @returns what happened, and every deviation from the expected state
 */
export async function storm({ seed, items, seconds, concurrency, latencyMs, say }) {
  const random = randomFrom(seed);
  const report = { seed, items, seconds, faults: {} };
  await withDeployment({ apis: 2 }, async (deployment) => {
    const { sql, call, apis, worker } = deployment;
    const models = await registerTwoProviders(deployment, { concurrency, latencyMs });
    const workers = await Promise.all(Array.from({ length: WORKERS }, () => worker()));
    const runs = [];
    for (const name of ['first', 'second']) runs.push(await submitRun(call, { name, models, cases: items / 4 }));
    const watches = runs.map((run, n) => watch(apis[n % apis.length].url, run));

    const started = performance.now();
    const log = (settled, what) => {
      const elapsedS = ((performance.now() - started) / 1000).toFixed(1);
      say(`${elapsedS.padStart(6)} s  ${String(settled).padStart(6)} of ${items}  ${what}`);
    };
    await playFaults({ ...deployment, workers, runs, random, report, log });
    report.settledInStorm = await settledOf(sql, runs);
    log(report.settledInStorm, 'calm');
    const calm = performance.now();
    await completed(sql, runs, 60_000 + (items / concurrency) * latencyMs);
    report.secondsToTheEnd = (performance.now() - calm) / 1000;
    await judge({ ...deployment, runs, watches, concurrency, report });
  });
  return report;
}

async function registerTwoProviders({ call, simulator }, { concurrency, latencyMs }) {
  const models = [];
  for (const key of ['one', 'two']) {
    const id = `careless-arguments@${latencyMs}:${key}`;
    await call('POST', '/api/providers', {
      key,
      base_url: `${simulator.url}/v1`,
      api_key: `sk-${key}-0123456789`,
      limits: { max_concurrency: concurrency },
      models: [{ id }],
    });
    models.push(`${key}::${id}`);
  }
  return models;
}

/** Plays one fault after another, each kind once before any repeats, until the time is up or everything is settled. */
async function playFaults({ sql, runs, random, report, log, ...deployment }) {
  const thaws = [];
  const faults = faultsAt(deployment, random, thaws);
  const { seconds, items } = report;
  const deadline = performance.now() + seconds * 1000;
  let remaining = [];
  while (performance.now() < deadline && (await settledOf(sql, runs).catch(() => 0)) < items) {
    await delay(between(random, 500, 2500));
    if (remaining.length === 0) remaining = shuffled(Object.keys(faults), random);
    const fault = remaining.pop();
    report.faults[fault] = (report.faults[fault] ?? 0) + 1;
    log(await settledOf(sql, runs).catch(() => '?'), fault);
    await faults[fault]();
  }
  await Promise.all(thaws);
}

/** The faults by name. Frozen workers resume by themselves; `thaws` gets a promise for each. */
const faultsAt = ({ workers, worker, apis, redis, postgres }, random, thaws) => ({
  async killWorker() {
    const n = between(random, 0, WORKERS);
    await workers[n].crash();
    await delay(between(random, 0, 1000));
    workers[n] = await worker();
  },
  async freezeWorker() {
    const frozen = workers[between(random, 0, WORKERS)];
    frozen.kill('SIGSTOP');
    thaws.push(delay(between(random, 2000, LEASE_MS + 4000)).then(() => frozen.kill('SIGCONT')));
  },
  emptyRedis: () => redis.flush(),
  async killRedis() {
    await redis.kill();
    await delay(between(random, 0, 3000));
    await redis.start();
  },
  async restartPostgres() {
    await postgres.kill();
    await delay(between(random, 0, 2000));
    await postgres.start();
  },
  async killApi() {
    const n = between(random, 0, apis.length);
    await apis[n].crash();
    await delay(between(random, 0, 1000));
    apis[n] = await apis[n].startAgain();
  },
});

/** Reports every deviation from the expected state after the storm. */
async function judge({ sql, call, simulator, runs, watches, concurrency, report }) {
  report.differences = (await Promise.all(runs.map((run) => differences(sql, run)))).flat();
  for (const { jobId } of runs) {
    const { status } = await call('GET', `/api/jobs/${jobId}`);
    if (status !== 'completed') report.differences.push(`The API says ${status} of a run that is completed`);
  }
  report.watching = (await Promise.all(watches)).flat();
  report.inFlight = await mostInFlight(simulator.url);
  if (report.inFlight > concurrency)
    report.differences.push(`${report.inFlight} requests were in flight at once, of ${concurrency} allowed`);
  report.repeated = await repeatedRequests(simulator.url, runs);
  report.repeatedPercent = (100 * report.repeated) / report.items;
  const workerFaults = (report.faults.killWorker ?? 0) + (report.faults.freezeWorker ?? 0);
  report.repeatedAtMost = workerFaults * MAX_CLAIMED_SHARE * concurrency;
}

/** Watches a run as a client. Returns how the events received deviate from every event once, in order, with the end. */
async function watch(url, { name, jobId, items }) {
  const wrong = [];
  let [last, results, end] = [0, 0, undefined];
  const deadline = new Promise((resolve) => setTimeout(resolve, 600_000, 'late').unref());
  const events = watchJob(url, jobId, { token: TOKEN });
  const follow = async () => {
    for await (const message of events) {
      if (message.name === 'tool_eval_progress') continue;
      if (message.name === 'truncated') wrong.push(`${name}: events up to ${message.from_seq} were left out`);
      else if (message.event.seq !== last + 1) wrong.push(`${name}: event ${message.event.seq} came after ${last}`);
      if (message.name === 'tool_eval_result') results++;
      end = message.name;
      last = message.event?.seq ?? message.from_seq;
    }
  };
  if ((await Promise.race([follow().catch((error) => wrong.push(`${name}: ${error.message}`)), deadline])) === 'late')
    wrong.push(`${name}: the client still waits for the end`);
  if (results !== items || end !== 'job_completed')
    wrong.push(`${name}: the client got ${results} of ${items} results; the last event was ${end}`);
  return wrong;
}

const between = (random, from, to) => from + Math.floor(random() * (to - from));

/** Numbers from 0 to 1 (mulberry32). */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffled(list, random) {
  const result = [...list];
  for (let n = result.length - 1; n > 0; n--) {
    const other = Math.floor(random() * (n + 1));
    [result[n], result[other]] = [result[other], result[n]];
  }
  return result;
}
