// What budgets and progress cost Postgres while a parent makes very many runs: a tune that tries a grid, with a budget,
// in a team with a monthly cap, while its jobs are looked at five times a second.
//   node bench/growth/run.mjs [arms] [workers,...] [seconds at most]
import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { until, withDeployment } from '../chaos/deployment.mjs';

const arms = Number(process.argv[2] ?? 3000);
const workersOf = (process.argv[3] ?? '1,8').split(',').map(Number);
const secondsAtMost = Number(process.argv[4] ?? Infinity);
const CASES = 2;

/** Statements by what their text says and no other does, in this release and the one before. */
const STATEMENTS = {
  'what budgets have left': ['%AS "capLeft"%'],
  'runs to stop': ['%"jobId"%', '%max_requests IS NOT NULL%'],
  'jobs with their progress': ['%AS subject_ref%'],
  'items to hand out': ['%AS "accountId"%'],
  settling: ['%settle_items(%'],
};

console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}; ${arms} arms of ${CASES} requests`);
for (const workers of workersOf) await measure(workers);
process.exit(0);

async function measure(workers) {
  await withDeployment({}, async ({ sql, call, simulator, worker, postgres }) => {
    await sql.query(`ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'`);
    await postgres.kill();
    await postgres.start();
    await until(() => sql.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements'), 'Postgres');
    await until(() => call('GET', '/api/me'), 'the API');
    await Promise.all(Array.from({ length: workers }, () => worker()));
    await call('PUT', '/api/settings/spending', { monthly_cap_usd: 1000 });
    await sql.query('SELECT pg_stat_statements_reset()');
    const { seconds, done, total } = await playTune(call, simulator);
    const who = workers === 1 ? 'one worker' : `${workers} workers`;
    console.log(`\n${who}: ${done} of ${total} requests in ${seconds.toFixed(0)} s`);
    console.log('    calls   total ms   ms a call   pages a call   statement');
    for (const row of await statements(sql)) console.log(row);
  });
}

/** @returns how far it came, and how many seconds it took */
async function playTune(call, simulator) {
  await call('POST', '/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    limits: { max_concurrency: 64 },
    models: [{ id: 'instant', input_cost_per_mtok: 1, output_cost_per_mtok: 1 }],
  });
  const suite = await call('GET', '/api/tool-eval/import/example');
  suite.test_cases = suite.test_cases.slice(0, CASES);
  const { suite_id } = await call('POST', '/api/tool-eval/import', suite);
  const began = performance.now();
  const { job_id: id } = await call('POST', '/api/tool-eval/param-tune', {
    suite_id,
    models: ['sim::instant'],
    mode: 'grid',
    search_space: { temperature: { min: 0, max: 1, levels: arms / 10 }, top_p: { min: 0.1, max: 1, levels: 10 } },
    max_combinations: 10_000,
    holdout: 0,
    cache: 'off',
    budget: { max_requests: 100 * arms, max_cost_usd: 500 },
  });
  for (;;) {
    const job = await call('GET', `/api/jobs/${id}`);
    await call('GET', '/api/jobs?limit=50');
    if (['failed', 'budget_exceeded'].includes(job.status))
      throw new Error(`${job.status}: ${job.error ?? job.detail}`);
    const seconds = (performance.now() - began) / 1000;
    if (job.status === 'completed' || seconds > secondsAtMost) return { seconds, ...job.progress };
    await delay(200);
  }
}

async function statements(sql) {
  const found = [];
  for (const [name, parts] of Object.entries(STATEMENTS)) {
    const { rows } = await sql.query(
      `SELECT sum(calls)::int AS calls, sum(total_exec_time) AS ms, sum(shared_blks_hit + shared_blks_read) AS pages
       FROM pg_stat_statements WHERE query LIKE ALL ($1) AND query NOT LIKE '%pg_stat_statements%'`,
      [parts],
    );
    const { calls, ms, pages } = rows[0];
    const of = (n, width, digits) => n.toFixed(digits).padStart(width);
    found.push(
      `${of(calls ?? 0, 9, 0)}  ${of(ms ?? 0, 9, 0)}  ${of((ms ?? 0) / calls, 10, 2)}  ` +
        `${of(Number(pages ?? 0) / calls, 13, 0)}   ${name}`,
    );
  }
  return found;
}
