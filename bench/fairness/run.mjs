// How long a run of 20 items takes alone, and beside a saturating run of 100,000 items of another user on the same
// provider; and what one gains who splits a big run into fifty. node bench/fairness/run.mjs [repetitions]
import { cpus } from 'node:os';
import { until, withDeployment } from '../chaos/deployment.mjs';
import { settledOf, submitRun } from '../chaos/runs.mjs';

const repetitions = Number(process.argv[2] ?? 3);
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

await withDeployment({}, async ({ sql, call, simulator, worker }) => {
  await sql.query('UPDATE team SET running_jobs_per_user = 60');
  const { token } = await call('POST', '/api/tokens', { name: 'bob', role: 'editor', user: 'bob' });
  const asBob = (method, path, body) => call(method, path, body, token);
  await Promise.all([worker(), worker()]);
  let names = 0;
  const submit = (by, key, cases, samples = 1) =>
    submitRun(by, { name: `run ${names++}`, models: [`${key}::slow-100:${key}`], cases, samples, cache: 'off' });
  const settled = (runs, n) => until(async () => (await settledOf(sql, runs)) >= n, `${n} settled items`, 300_000);
  /** Seconds from the submit to the end of the job. */
  const seconds = async (cases) => {
    const { jobId } = await submit(asBob, key, cases);
    const job = await until(
      async () => {
        const now = await asBob('GET', `/api/jobs/${jobId}`);
        return now.finished_at && now;
      },
      'the small run to end',
      300_000,
    );
    return (Date.parse(job.finished_at) - Date.parse(job.created_at)) / 1000;
  };
  const measure = async (times) => {
    const measured = [];
    for (let n = 0; n < times; n++) measured.push(await seconds(20));
    return median(measured);
  };

  let key;
  console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}; two workers, 8 requests in flight of 100 ms each`);
  console.log('requests/min   20 items alone   beside 100,000   ratio');
  for (const rpm of [null, 600, 60]) {
    key = rpm === null ? 'unlimited' : `limited-${rpm}`;
    await call('POST', '/api/providers', {
      key,
      base_url: `${simulator.url}/v1`,
      api_key: `sk-${key}-0123456789`,
      limits: { max_concurrency: 8, requests_per_minute: rpm },
      models: [{ id: `slow-100:${key}` }],
    });
    await seconds(1); // The lane is known, its workers listen.
    const times = rpm === 60 ? 1 : repetitions;
    const alone = await measure(times);
    const large = await submit(call, key, 1000, 100);
    await settled([large], rpm === 60 ? 10 : 30);
    const beside = await measure(times);
    await call('POST', `/api/jobs/${large.jobId}/cancel`);
    console.log(
      `${String(rpm ?? 'unlimited').padStart(12)}   ${alone.toFixed(2).padStart(12)} s   ` +
        `${beside.toFixed(2).padStart(12)} s   ${(beside / alone).toFixed(2).padStart(5)}`,
    );
  }

  key = 'unlimited';
  const one = await submit(asBob, key, 1000);
  const many = await Promise.all(Array.from({ length: 50 }, () => submit(call, key, 20)));
  const before = [await settledOf(sql, [one]), await settledOf(sql, many)];
  await settled([one, ...many], before[0] + before[1] + 800);
  const [ofOne, ofMany] = [(await settledOf(sql, [one])) - before[0], (await settledOf(sql, many)) - before[1]];
  console.log(
    `One run of 1,000 items beside fifty runs of 20 of another user: ${ofOne} of ${ofOne + ofMany} ` +
      `settled items (${((100 * ofOne) / (ofOne + ofMany)).toFixed(1)} %)`,
  );
});
process.exit(0);
