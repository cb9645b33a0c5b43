// How long the API takes to list, page and filter when millions of results are stored. Loads them straight into
// Postgres as runs of a million (10 models, 1,000 cases, 100 samples), as settling would leave them.
//   node bench/scale/run.mjs [results] [requests]
import { cpus } from 'node:os';
import pg from 'pg';
import { importThousandCases, withSystem } from '../system.mjs';

const results = Number(process.argv[2] ?? 10_000_000);
const requests = Number(process.argv[3] ?? 100);
const MODELS = 10;
const CASES = 1000;
const SAMPLES = 100;
const A_RUN = MODELS * CASES * SAMPLES;
const SUMMARY = JSON.stringify({
  overall: 1,
  scored: 1,
  by_category: {},
  latency_ms: { p50: 250, p95: 250 },
  usage: { prompt_tokens: 300, completion_tokens: 20 },
  cost_usd: null,
});

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
    const times = [];
    for (let n = 0; n < requests; n++) {
      const started = performance.now();
      await call('GET', path);
      times.push(performance.now() - started);
    }
    times.sort((a, b) => a - b);
    const at = (share) => times[Math.ceil(share * times.length) - 1].toFixed(1).padStart(6);
    console.log(`${at(0.5)}  ${at(0.95)}  ${what}`);
  }
});

async function loadRuns({ call, databaseUrl, suiteId, models }) {
  const sql = new pg.Client({ connectionString: databaseUrl });
  sql.on('error', () => {});
  await sql.connect();
  await sql.query(`SET synchronous_commit = off`);
  const runs = [];
  const loading = Date.now();
  let submitMs = 0;
  while (runs.length < results / A_RUN) {
    const submitted = performance.now();
    const { eval_id: evalId } = await call('POST', '/api/tool-eval', {
      suite_id: suiteId,
      models: models.map((id) => `sim::${id}`),
      samples: SAMPLES,
    });
    submitMs = Math.max(submitMs, performance.now() - submitted);
    await settleAll(sql, evalId);
    runs.push(evalId);
    process.stderr.write(`${runs.length * A_RUN} results after ${Math.round((Date.now() - loading) / 1000)} s\n`);
  }
  await sql.query('ANALYZE result'); // as autovacuum does within a minute
  await sql.end();
  return { runs, submitMs };
}

/** Every thousandth item failed, and one in a hundred thousand errored, spread over the run. */
async function settleAll(sql, evalId) {
  await sql.query(
    `INSERT INTO result (run_id, target, case_position, sample, generation, seq,
       outcome, passed, tool_score, param_score, overall,
       error_type, format_compliance, abstention,
       called,
       evidence,
       scoring_version, latency_ms, prompt_tokens, completion_tokens, attempts,
       error_kind, error_message, tool_choice_used)
     SELECT $1, i / ${CASES * SAMPLES}, i / ${SAMPLES} % ${CASES}, i % ${SAMPLES}, 1, i + 2,
       CASE WHEN is_errored THEN 'errored' ELSE 'scored' END, NOT has_failed, 1, 1, 1,
       CASE WHEN is_errored THEN 'errored' WHEN has_failed THEN 'wrong_argument' ELSE 'none' END, 'native', false,
       '[{"name":"get_weather","arguments":{"city":"x"}}]',
       '{"pairs":[{"called":0,"expected":0,"param_score":1,"arguments":[]}],"missing":[],"unexpected":[]}',
       1, 250, 300, 20, 1,
       CASE WHEN is_errored THEN 'timeout' END, CASE WHEN is_errored THEN 'No answer within 120 s.' END, 'required'
     FROM generate_series(0, ${A_RUN - 1}) AS i,
       LATERAL (SELECT i % 100000 = 77 AS is_errored, i % 1000 = 77 AS has_failed) AS fate`,
    [evalId],
  );
  await sql.query(
    `UPDATE target SET cursor = n, settled = n, active = false, finished_at = now(), passed = n - n / 1000,
       overall_sum = n, summary = $2
     WHERE run_id = $1`,
    [evalId, SUMMARY],
  );
  await sql.query(`UPDATE run SET status = 'completed', finished_at = now(), score = 1 WHERE id = $1`, [evalId]);
  await sql.query(
    `UPDATE job SET status = 'completed', finished_at = now(), done = total, last_seq = total + 2
     WHERE result_ref = $1::text`,
    [evalId],
  );
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
