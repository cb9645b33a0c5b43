// How long comparing two large runs takes: the first response, and the stored one, next to a plain count of the same
// rows. The results are loaded straight into Postgres in their settled state.
//   node bench/compare/run.mjs [cases] [samples] [requests]
import { cpus } from 'node:os';
import pg from 'pg';
import { cpuMs, storeCpuMs, withSystem } from '../system.mjs';
import { loadRun } from './load-run.mjs';

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
  // It ends runs, as a worker of the newest level.
  const sql = new pg.Client({ connectionString: databaseUrl, options: '-c toolmark.worker_level=99' });
  sql.on('error', () => {});
  await sql.connect();
  const load = (chance) => loadRun({ call, sql, suiteId, model: 'sim::instant', cases, samples }, chance);
  const runs = [await load(0.7), await load(0.75)];
  await renameCase({ call, suiteId });
  const ofNextVersion = await load(0.75);
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
  // Each request has a different margin, so that none finds a stored response.
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

/** Renaming one case creates another version of the suite, whose cases are otherwise the same. */
async function renameCase({ call, suiteId }) {
  const { items } = await call('GET', `/api/tool-suites/${suiteId}/cases?limit=1`);
  const [{ id, position: _position, ...input }] = items;
  await call('PUT', `/api/tool-suites/${suiteId}/cases/${id}`, { ...input, name: 'renamed' });
}
