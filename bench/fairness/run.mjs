// How long a run of 20 items takes alone, and next to another user's saturating run of 100,000 items on the same
// provider; and what a user gains by splitting a big run into fifty.
//   node bench/fairness/run.mjs [repetitions]
import { cpus } from 'node:os';
import { until, withDeployment } from '../chaos/deployment.mjs';
import { settledOf, submitRun } from '../chaos/runs.mjs';

const repetitions = Number(process.argv[2] ?? 3);
const SMALL_RUN_ITEMS = 20;
let runs = 0; // for their names
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

await withDeployment({}, async ({ sql, call, simulator, worker }) => {
  await sql.query('UPDATE team SET running_jobs_per_user = 60');
  const { token } = await call('POST', '/api/tokens', { name: 'bob', role: 'editor', user: 'bob' });
  const asBob = (method, path, body) => call(method, path, body, token);
  await Promise.all([worker(), worker()]);
  const system = { sql, call, asBob, simulator };

  console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}; two workers, 8 requests in flight of 100 ms each`);
  console.log('requests/min   20 items alone   beside 100,000   ratio');
  for (const requestsPerMinute of [null, 600, 60]) {
    const { alone, beside } = await measureLane(system, requestsPerMinute);
    console.log(
      `${String(requestsPerMinute ?? 'unlimited').padStart(12)}   ${alone.toFixed(2).padStart(12)} s   ` +
        `${beside.toFixed(2).padStart(12)} s   ${(beside / alone).toFixed(2).padStart(5)}`,
    );
  }
  await measureSplitRun(system);
});
process.exit(0);

function submit(by, key, cases, samples = 1) {
  return submitRun(by, { name: `run ${runs++}`, models: [`${key}::slow-100:${key}`], cases, samples, cache: 'off' });
}

function untilSettled(sql, runsOfBoth, n) {
  return until(async () => (await settledOf(sql, runsOfBoth)) >= n, `${n} settled items`, 300_000);
}

/** Seconds from submission to the end of the small run's job: alone, and next to the large one. */
async function measureLane({ sql, call, asBob, simulator }, requestsPerMinute) {
  const key = requestsPerMinute === null ? 'unlimited' : `limited-${requestsPerMinute}`;
  await call('POST', '/api/providers', {
    key,
    base_url: `${simulator.url}/v1`,
    api_key: `sk-${key}-0123456789`,
    limits: { max_concurrency: 8, requests_per_minute: requestsPerMinute },
    models: [{ id: `slow-100:${key}` }],
  });
  await secondsOfRun(asBob, key, 1); // By now the lane exists and its workers listen.
  const times = requestsPerMinute === 60 ? 1 : repetitions;
  const alone = await medianSeconds(asBob, key, times);
  const large = await submit(call, key, 1000, 100);
  await untilSettled(sql, [large], requestsPerMinute === 60 ? 10 : 30);
  const beside = await medianSeconds(asBob, key, times);
  await call('POST', `/api/jobs/${large.jobId}/cancel`);
  return { alone, beside };
}

async function medianSeconds(call, key, times) {
  const measured = [];
  for (let n = 0; n < times; n++) measured.push(await secondsOfRun(call, key, SMALL_RUN_ITEMS));
  return median(measured);
}

async function secondsOfRun(call, key, cases) {
  const { jobId } = await submit(call, key, cases);
  const finished = async () => {
    const job = await call('GET', `/api/jobs/${jobId}`);
    return job.finished_at && job;
  };
  const job = await until(finished, 'the small run to end', 300_000);
  return (Date.parse(job.finished_at) - Date.parse(job.created_at)) / 1000;
}

async function measureSplitRun({ sql, call, asBob }) {
  const one = await submit(asBob, 'unlimited', 1000);
  const many = await Promise.all(Array.from({ length: 50 }, () => submit(call, 'unlimited', 20)));
  const before = [await settledOf(sql, [one]), await settledOf(sql, many)];
  await untilSettled(sql, [one, ...many], before[0] + before[1] + 800);
  const [ofOne, ofMany] = [(await settledOf(sql, [one])) - before[0], (await settledOf(sql, many)) - before[1]];
  console.log(
    `One run of 1,000 items beside fifty runs of 20 of another user: ${ofOne} of ${ofOne + ofMany} ` +
      `settled items (${((100 * ofOne) / (ofOne + ofMany)).toFixed(1)} %)`,
  );
}
