// How long the API takes to list, page and filter millions of stored results, in runs of a million.
//   node bench/scale/run.mjs [results] [requests]
import { cpus } from 'node:os';
import { importThousandCases, withSystem } from '../system.mjs';
import { A_RUN, measure, MODELS, openLoader, runOfAMillion } from './million.mjs';

const results = Number(process.argv[2] ?? 10_000_000);
const requests = Number(process.argv[3] ?? 100);

await withSystem(async ({ simulator, call, databaseUrl }) => {
  const models = Array.from({ length: MODELS }, (_, n) => `instant:${n}`);
  await call('POST', '/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    models: models.map((id) => ({ id })),
  });
  const suiteId = await importThousandCases(call);
  const { runs, submitMs } = await loadRuns({ call, databaseUrl, suiteId, models });
  console.log(
    `${cpus().length} cores, ${cpus()[0].model.trim()}; ${runs.length * A_RUN} results in ` +
      `${runs.length} runs; slowest submit of a million items ${Math.round(submitMs)} ms`,
  );
  console.log('p50 ms  p95 ms  what');
  for (const [what, path] of pathsToMeasure(runs[Math.floor(runs.length / 2)])) {
    const at = await measure(call, path, requests);
    console.log(`${at(0.5)}  ${at(0.95)}  ${what}`);
  }
});

async function loadRuns({ call, databaseUrl, suiteId, models }) {
  const sql = await openLoader(databaseUrl);
  const runs = [];
  const loading = Date.now();
  let submitMs = 0;
  while (runs.length < results / A_RUN) {
    const loaded = await runOfAMillion({ call, sql, suiteId, models });
    submitMs = Math.max(submitMs, loaded.submitMs);
    runs.push(loaded.evalId);
    process.stderr.write(`${runs.length * A_RUN} results after ${Math.round((Date.now() - loading) / 1000)} s\n`);
  }
  await sql.query('ANALYZE result'); // as autovacuum does within a minute
  await sql.end();
  return { runs, submitMs };
}

function pathsToMeasure(run) {
  const history = `/api/tool-eval/history/${run}`;
  const middle = `1.${Math.floor(A_RUN / 2)}`;
  return [
    ['list the runs', '/api/tool-eval/history'],
    ['one run with its summaries', history],
    ['list the jobs', '/api/jobs'],
    ['first page of results', `${history}/results`],
    ['a page in the middle', `${history}/results?cursor=${middle}&limit=200`],
    ['one result', `${history}/results/5-500-50`],
    ['of one model', `${history}/results?model=instant:7`],
    ['failed (1 of 1,000)', `${history}/results?passed=false`],
    ['errored (1 of 100,000)', `${history}/results?outcome=errored`],
    ['a category that no case has', `${history}/results?category=none`],
    ['the lanes', '/api/lanes'],
  ];
}
