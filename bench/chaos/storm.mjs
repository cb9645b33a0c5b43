// Random faults, from a seed, at a deployment that works: workers killed and frozen, Redis emptied and killed,
// Postgres restarted in immediate mode, APIs killed. Nobody helps it afterwards.
import { setTimeout as delay } from 'node:timers/promises';
import { watchJob } from '../../dist/libs/client/watch-job.js';
import { TOKEN, withDeployment } from './deployment.mjs';
import { completed, differences, mostInFlight, repeatedRequests, settledOf, submitRun } from './runs.mjs';

const WORKERS = 3;
/** A worker that froze for longer than its lease lost its items. */
const LEASE_MS = 10_000;

/**
 * @param of `seconds` of faults at runs of `items` items on two lanes with `concurrency` requests in flight each
 * @returns what happened, and what is not as it must be
 */
export async function storm({ seed, items, seconds, concurrency, latencyMs, say }) {
  const random = randomFrom(seed);
  const between = (from, to) => from + Math.floor(random() * (to - from));
  const report = { seed, items, seconds, faults: {} };
  await withDeployment({ apis: 2 }, async ({ sql, call, simulator, apis, worker, redis, postgres }) => {
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
    const workers = await Promise.all(Array.from({ length: WORKERS }, () => worker()));
    const runs = [];
    for (const name of ['first', 'second']) runs.push(await submitRun(call, { name, models, cases: items / 4 }));
    const watches = runs.map((run, n) => watch(apis[n % apis.length].url, run));

    const thaws = [];
    const faults = {
      async killWorker() {
        const n = between(0, WORKERS);
        await workers[n].crash();
        await delay(between(0, 1000));
        workers[n] = await worker();
      },
      async freezeWorker() {
        const frozen = workers[between(0, WORKERS)];
        frozen.kill('SIGSTOP');
        thaws.push(delay(between(2000, LEASE_MS + 4000)).then(() => frozen.kill('SIGCONT')));
      },
      emptyRedis: () => redis.flush(),
      async killRedis() {
        await redis.kill();
        await delay(between(0, 3000));
        await redis.start();
      },
      async restartPostgres() {
        await postgres.kill();
        await delay(between(0, 2000));
        await postgres.start();
      },
      async killApi() {
        const n = between(0, apis.length);
        await apis[n].crash();
        await delay(between(0, 1000));
        apis[n] = await apis[n].again();
      },
    };
    const started = performance.now();
    const elapsed = () => (performance.now() - started) / 1000;
    let turn = [];
    while (elapsed() < seconds && (await settledOf(sql, runs).catch(() => 0)) < items) {
      await delay(between(500, 2500));
      if (turn.length === 0) turn = shuffled(Object.keys(faults), random);
      const fault = turn.pop();
      report.faults[fault] = (report.faults[fault] ?? 0) + 1;
      say(
        `${elapsed().toFixed(1).padStart(6)} s  ` +
          `${String(await settledOf(sql, runs).catch(() => '?')).padStart(6)} of ${items}  ${fault}`,
      );
      await faults[fault]();
    }
    await Promise.all(thaws);
    report.settledInStorm = await settledOf(sql, runs);
    say(`${elapsed().toFixed(1).padStart(6)} s  ${String(report.settledInStorm).padStart(6)} of ${items}  calm`);
    const calm = performance.now();
    await completed(sql, runs, 60_000 + (items / concurrency) * latencyMs);
    report.secondsToTheEnd = (performance.now() - calm) / 1000;
    report.differences = (await Promise.all(runs.map((run) => differences(sql, run)))).flat();
    for (const { jobId } of runs)
      await call('GET', `/api/jobs/${jobId}`).then(
        (job) =>
          job.status === 'completed' ||
          report.differences.push(`The API says ${job.status} of a run that is completed`),
      );
    report.watching = (await Promise.all(watches)).flat();
    report.inFlight = await mostInFlight(simulator.url);
    if (report.inFlight > concurrency)
      report.differences.push(`${report.inFlight} requests were in flight at once, of ${concurrency} allowed`);
    report.repeated = await repeatedRequests(simulator.url, runs);
    report.repeatedPercent = (100 * report.repeated) / items;
    // What a killed or frozen worker can have in hand, at most.
    report.repeatedAtMost = ((report.faults.killWorker ?? 0) + (report.faults.freezeWorker ?? 0)) * 2 * concurrency;
  });
  return report;
}

/**
 * What a client that watches a run through all of it was told wrongly; empty when it has every event once, in
 * order, and the end.
 */
async function watch(url, { name, jobId, items }) {
  const wrong = [];
  let [last, results, end] = [0, 0, undefined];
  const deadline = new Promise((resolve) => setTimeout(resolve, 600_000, 'late').unref());
  const events = watchJob(url, TOKEN, jobId);
  const follow = async () => {
    for await (const told of events) {
      if (told.name === 'tool_eval_progress') continue;
      if (told.name === 'truncated') wrong.push(`${name}: events up to ${told.from_seq} were left out`);
      else if (told.event.seq !== last + 1) wrong.push(`${name}: event ${told.event.seq} came after ${last}`);
      if (told.name === 'tool_eval_result') results++;
      end = told.name;
      last = told.event?.seq ?? told.from_seq;
    }
  };
  if ((await Promise.race([follow().catch((error) => wrong.push(`${name}: ${error.message}`)), deadline])) === 'late')
    wrong.push(`${name}: the client waits for the end for ever`);
  if (results !== items || end !== 'job_completed')
    wrong.push(`${name}: the client was told of ${results} of ${items} results, and last ${end}`);
  return wrong;
}

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
