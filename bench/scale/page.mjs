// The requests of the page for a run of a million results: how long a worker takes to count the run, and a rescore of
// it, and the API to respond afterwards. A third of the results failed, in several ways.
//   node bench/scale/page.mjs [requests]
import { cpus } from 'node:os';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { importThousandCases, withSystem } from '../system.mjs';
import { MANY_FAILURES, measure, MODELS, openLoader, rescoreOfAMillion, runOfAMillion } from './million.mjs';

const requests = Number(process.argv[2] ?? 50);

await withSystem(async ({ simulator, call, databaseUrl, start }) => {
  const models = Array.from({ length: MODELS }, (_, n) => `instant:${n}`);
  await call('POST', '/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    models: models.map((id) => ({ id })),
  });
  const suiteId = await importThousandCases(call, {
    category: (n) => `category ${n % 20}`,
    tags: (n) => [`tag ${n % 50}`, `tag of case ${n}`],
  });
  const sql = await openLoader(databaseUrl);
  const { evalId } = await runOfAMillion({ call, sql, suiteId, models, become: MANY_FAILURES });
  const rescoreId = await rescoreOfAMillion({ call, sql, evalId });
  await sql.query('ANALYZE result, rescored'); // as autovacuum does within a minute
  await sql.query('CHECKPOINT');
  const history = `/api/tool-eval/history/${evalId}`;
  const worker = await start('worker');
  const counted = async (path) => {
    const started = performance.now();
    while ((await call('GET', path)).status === 'counting') await delay(20);
    return ((performance.now() - started) / 1000).toFixed(1);
  };
  const seconds = await counted(`${history}/facets`);
  const again = await counted(`${history}/facets?rescore_id=${rescoreId}`);
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${worker.pid}/status`, 'utf8'))[1];
  const { rows } = await sql.query(
    `SELECT pg_total_relation_size('run_figures') + pg_total_relation_size('case_figures')
       + pg_total_relation_size('failure_group') AS bytes`,
  );
  await sql.end();
  console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}`);
  console.log(
    `counted in ${seconds} s, and its rescore in ${again} s; ` +
      `the worker had at most ${Math.round(peak / 1024)} MB resident`,
  );
  console.log(`what is stored of both: ${(rows[0].bytes / 2 ** 20).toFixed(1)} MB`);
  console.log('p50 ms  p95 ms  what');
  const [group] = (await call('GET', `${history}/failures`)).items;
  for (const [what, path] of [
    ['the run', ''],
    ['ranking', '/ranking'],
    ['facets', '/facets'],
    ['facets of the rescore', `/facets?rescore_id=${rescoreId}`],
    ['confusion', '/confusion'],
    ['confusion of a model', '/confusion?target=sim::instant:3'],
    ['failure groups', '/failures'],
    ['40 drawn of a group', `/failures/${group.id}/draw?seed=7`],
    ['cases on which models differ', '/cases?limit=50'],
    ['all cases, 200', '/cases?show=all&limit=200'],
    ['first page of failures', '/results?order=failures&lean=true&limit=200'],
    [
      'failures of a group',
      '/results?order=failures&lean=true&error_type=wrong_tool&called_tool=get_forecast&limit=200',
    ],
  ]) {
    const at = await measure(call, `${history}${path}`, requests);
    console.log(`${at(0.5)}  ${at(0.95)}  ${what}`);
  }
});
