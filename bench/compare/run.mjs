// How long comparing two large runs takes: the first answer, and the one that the API has kept, beside a plain count of
// the same rows. The results are loaded straight into Postgres, as settling would leave them.
//   node bench/compare/run.mjs [cases] [samples] [requests]
import { cpus } from 'node:os';
import pg from 'pg';
import { cpuMs, storeCpuMs, withSystem } from '../system.mjs';

const HEADS = ['p50 ms', 'p95 ms', 'of the count', 'CPU ms: API', 'Postgres'];
const [cases = 10_000, samples = 5, requests = 10] = process.argv.slice(2, 5).map(Number);

await withSystem(async ({ simulator, api, call, databaseUrl }) => {
  const measure = (work) => measureRequests(work, () => [cpuMs(api.pid), storeCpuMs('postgres')]);
  await call('POST', '/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    models: [{ id: 'instant', input_cost_per_mtok: 1, output_cost_per_mtok: 1 }],
  });
  const suiteId = await importSuite(call);
  // It ends runs as a worker of the newest level.
  const sql = new pg.Client({ connectionString: databaseUrl, options: '-c toolmark.worker_level=99' });
  sql.on('error', () => {});
  await sql.connect();
  const runs = [await loadRun({ call, sql, suiteId }, 0.7), await loadRun({ call, sql, suiteId }, 0.75)];
  await renameCase({ call, suiteId });
  const ofNextVersion = await loadRun({ call, sql, suiteId }, 0.75);
  await sql.query('ANALYZE result'); // as autovacuum does within a minute
  const [a, b] = runs;
  const count = await measure(() =>
    sql.query('SELECT count(*), sum(overall) FROM result WHERE run_id = ANY ($1)', [runs]),
  );
  console.log(
    `${cpus().length} cores, ${cpus()[0].model.trim()}; 2 x ${cases} cases x ${samples} samples; ` +
      `${requests} requests each`,
  );
  console.log(`${HEADS.join('  ')}  what`);
  report('count and sum of the rows of both runs', count, count);
  // Each request has a margin of its own, so that none finds a kept answer.
  let fresh = 0;
  const margin = () => (0.02 + 1e-9 * ++fresh).toFixed(9);
  const compare = (query) => call('GET', `/api/compare?a=${a}&b=${b}${query}`);
  report('first answer', await measure(() => compare(`&margin=${margin()}`)), count);
  report('kept answer', await measure(() => compare('')), count);
  report('first answer, pass and fail', await measure(() => compare(`&measure=passed&margin=${margin()}`)), count);
  report(
    'first answer, another version of the suite',
    await measure(() => call('GET', `/api/compare?a=${a}&b=${ofNextVersion}&margin=${margin()}`)),
    count,
  );
  report(
    'first page of the broken cases',
    await measure(() => call('GET', `/api/compare/items?a=${a}&b=${b}&outcome=broken`)),
    count,
  );
  await sql.end();
});

async function measureRequests(work, cpu) {
  const times = [];
  await work();
  const before = cpu();
  for (let n = 0; n < requests; n++) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  times.sort((one, other) => one - other);
  const spent = cpu().map((ms, index) => (ms - before[index]) / requests);
  return { p50: times[Math.ceil(0.5 * requests) - 1], p95: times[Math.ceil(0.95 * requests) - 1], spent };
}

function report(what, { p50, p95, spent }, base) {
  const columns = [p50.toFixed(1), p95.toFixed(1), (p50 / base.p50).toFixed(2), ...spent.map((ms) => ms.toFixed(0))];
  console.log(`${columns.map((text, index) => text.padStart(HEADS[index].length)).join('  ')}  ${what}`);
}

async function importSuite(call) {
  const suite = await call('GET', '/api/tool-eval/import/example');
  suite.test_cases = Array.from({ length: cases }, (_, n) => ({
    name: `case ${n}`,
    category: `category ${n % 10}`,
    prompt: `What is the weather in city ${n}? Answer in degrees Celsius, and mention rain.`,
    expected_tool: 'get_weather',
    expected_params: { city: `city ${n}` },
  }));
  return (await call('POST', '/api/tool-eval/import', suite)).suite_id;
}

/** Another name of one case makes another version of the suite, whose cases are all the same. */
async function renameCase({ call, suiteId }) {
  const { items } = await call('GET', `/api/tool-suites/${suiteId}/cases?limit=1`);
  const [{ id, position: _position, ...input }] = items;
  await call('PUT', `/api/tool-suites/${suiteId}/cases/${id}`, { ...input, name: 'renamed' });
}

/** A run whose samples pass with this chance, by a hash of case and sample; in each fifth case also of the run. */
async function loadRun({ call, sql, suiteId }, chance) {
  const { eval_id: evalId } = await call('POST', '/api/tool-eval', {
    suite_id: suiteId,
    models: ['sim::instant'],
    samples,
    cache: 'off',
  });
  await sql.query(
    `INSERT INTO result (run_id, target, case_position, sample, generation, seq, outcome, passed, tool_score,
       param_score, overall, error_type, format_compliance, abstention, category, called, evidence, scoring_version,
       latency_ms, prompt_tokens, completion_tokens, cost_usd, attempts, tool_choice_used)
     SELECT $1, 0, c, s, 1, 1 + c * $3 + s, 'scored', good, 1, CASE WHEN good THEN 1 ELSE 0 END,
       CASE WHEN good THEN 1 ELSE 0.6 END, CASE WHEN good THEN 'none' ELSE 'wrong_argument' END, 'native', false,
       'category ' || c % 10,
       '[{"name":"get_weather","arguments":{"city":"city ' || c || '","units":"celsius"}}]',
       '{"pairs":[{"called":0,"expected":0,"param_score":1,"arguments":[{"path":"/city","rule":"exact",'
         '"verdict":"match","expected":"city ' || c || '","actual":"city ' || c ||
         '"}]}],"missing":[],"unexpected":[]}',
       3, 100 + (c * 7 + s * 13) % 900, 300, 20, 0.0001, 1, 'required'
     FROM generate_series(0, $2 - 1) c CROSS JOIN generate_series(0, $3 - 1) s CROSS JOIN LATERAL (
       SELECT (hashtext(c || '-' || s || CASE WHEN c % 5 = 0 THEN $5 ELSE '' END) & 1023) < 1024 * $4::float8 AS good
     ) chance`,
    [evalId, cases, samples, chance, evalId],
  );
  await sql.query(
    `UPDATE target SET n = $2, settled = $2, cursor = n, active = false, finished_at = now(), summary = $3
     WHERE run_id = $1`,
    [evalId, cases * samples, JSON.stringify(summaryOf(chance))],
  );
  await sql.query(`UPDATE run SET status = 'completed', score = $2, finished_at = now() WHERE id = $1`, [
    evalId,
    chance,
  ]);
  await sql.query(
    `UPDATE job SET status = 'completed', finished_at = now(), done = total WHERE result_ref = $1::text`,
    [evalId],
  );
  return evalId;
}

function summaryOf(overall) {
  return {
    overall,
    scored: cases * samples,
    by_category: {},
    latency_ms: { p50: 550, p95: 955 },
    usage: { prompt_tokens: 300, completion_tokens: 20 },
    cost_usd: null,
  };
}
