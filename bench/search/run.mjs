// How long search, trends, the history and home take in a team of a million results, 200 suites and 10,000 runs.
//   node bench/search/run.mjs [results] [requests]
import { cpus } from 'node:os';
import { withSystem } from '../system.mjs';
import { measure, openLoader } from '../scale/million.mjs';

const results = Number(process.argv[2] ?? 1_000_000);
const requests = Number(process.argv[3] ?? 100);
const TEAM = { suites: 200, cases: 50, runs: 10_000, models: 5 };

await withSystem(async ({ call, databaseUrl }) => {
  const sql = await openLoader(databaseUrl);
  const me = await call('GET', '/api/me');
  await fill(sql, me.team.id, me.user.id);
  console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}`);
  console.log(`${results} results, ${TEAM.runs} runs of ${TEAM.models} models, ${TEAM.suites} suites`);
  const { items } = await call('GET', '/api/tool-suites?limit=1');
  console.log('p50 ms  p95 ms  what');
  const report = async ([what, path]) => {
    const at = await measure(call, path, requests);
    console.log(`${at(0.5)}  ${at(0.95)}  ${what}`);
  };
  for (const query of queries(items[0].id)) await report(query);
  const suite = await fillLongTrend(sql, me.team.id, me.user.id);
  for (const query of histories(suite)) await report(query);
  await sql.end();
});

function queries(suite) {
  return [
    ['search, all types, many matches', '/api/search?q=nightly'],
    ['search, all types, one match', '/api/search?q=nightly%209876'],
    ['search, all types, nothing', '/api/search?q=unheard-of'],
    ['search, names alone', '/api/search?q=suite%2042&types=run,suite,experiment,gate,prompt,model'],
    ['search, cases alone', '/api/search?q=paris%2042&types=case'],
    ['trends, 20 suites of 12 runs', '/api/trends'],
    ['trends, one suite, 50 runs', `/api/trends?suite_id=${suite}&limit=50`],
    ['history, newest', '/api/tool-eval/history'],
    ['history, by a tag of mine', '/api/tool-eval/history?tag=release'],
    ['history, of a model', '/api/tool-eval/history?model=acme::model-3'],
    ['history, by text', '/api/tool-eval/history?q=nightly%20987'],
    ['history, by cost', '/api/tool-eval/history?order=cost'],
    ['home', '/api/home'],
  ];
}

function histories(suite) {
  const of = `/api/trends?suite_id=${suite}`;
  return [
    [`trend of one suite, ${TEAM.runs} runs of ${TEAM.models} models`, `${of}&points=200`],
    ['the same, one model', `${of}&model=acme::model-3`],
    ['the same, a category', `${of}&part=category:category%203`],
    ['the same, the last 100 runs', `${of}&from=${new Date(Date.now() - 100 * 60_000).toISOString()}`],
    ['trends of a model, over all suites', '/api/trends?model=acme::model-3'],
  ];
}

/** Writes the rows as workers leave them. */
async function fill(sql, teamId, userId) {
  const { rows } = await sql.query(`SELECT left(uuidv7()::text, 13) || '-7000-8000-' AS prefix`);
  const id = (kind, n) => `('${rows[0].prefix}' || '${kind}' || lpad(to_hex((${n})::int), 10, '0'))::uuid`;
  const body = `json_build_object('name', 'case ' || c, 'prompt', 'What is the weather in Paris ' || c || '? ' ||
    repeat('Answer with a tool. ', 20), 'expected_tool', 'get_weather')`;
  await sql.query(
    `INSERT INTO suite (id, team_id, name, tools) SELECT ${id('0a', 'n')}, $1, 'Suite ' || n, '[]'
     FROM generate_series(1, ${TEAM.suites}) n`,
    [teamId],
  );
  await sql.query(
    `INSERT INTO suite_case (id, suite_id, position, tags, body)
     SELECT ${id('0b', `n * 1000 + c`)}, ${id('0a', 'n')}, c, '{}', ${body}
     FROM generate_series(1, ${TEAM.suites}) n, generate_series(1, ${TEAM.cases}) c`,
  );
  await sql.query(
    `INSERT INTO run (id, team_id, user_id, job_id, suite_id, suite_version_id, suite_name, suite_version, status,
       config, samples, case_positions, name, note, score, started_at, finished_at)
     SELECT ${id('0c', 'n')}, $1, $2, ${id('0d', 'n')}, ${id('0a', `1 + n % ${TEAM.suites}`)}, ${id('0e', 'n')},
       'Suite ' || (1 + n % ${TEAM.suites}), 1, 'completed', '{"metrics": [], "samples": 1}', 1, '{}', 'Nightly ' || n,
       repeat('A note. ', 20), 0.8, now(), now() - n * interval '1 min'
     FROM generate_series(1, ${TEAM.runs}) n`,
    [teamId, userId],
  );
  const groups = `(SELECT json_object_agg('category ' || g, '{"cases": 5, "scored": 5, "overall": 0.8}'::json)
    FROM generate_series(1, 20) g)`;
  await sql.query(
    `INSERT INTO target (run_id, ordinal, lane_id, user_id, provider_id, provider_key, model_id, n, cursor, settled,
       passed, overall_sum, cost_usd, finished_at, summary)
     SELECT ${id('0c', 'n')}, m, ${id('0f', '1')}, $1, ${id('0f', '2')}, 'acme', 'model-' || m, 20, 20, 20, 15, 16, 0.1,
       now(), json_build_object('target', 'acme::model-' || m, 'overall', 0.8, 'overall_ci', '[0.7, 0.9]'::json,
         'scored', 20, 'errored', 0, 'cost_usd', 0.1, 'usage', '{"prompt_tokens": 1, "completion_tokens": 1}'::json,
         'by_category', ${groups})
     FROM generate_series(1, ${TEAM.runs}) n, generate_series(0, ${TEAM.models - 1}) m`,
    [userId],
  );
  await sql.query(
    `INSERT INTO mark (user_id, kind, subject_id, team_id, tags)
     SELECT $2, 'run', ${id('0c', 'n')}, $1, '{release}' FROM generate_series(1, ${TEAM.runs}, 97) n`,
    [teamId, userId],
  );
  const perRun = Math.round(results / TEAM.runs / TEAM.models);
  await sql.query(
    `INSERT INTO result (run_id, target, case_position, sample, generation, seq, outcome, passed, overall, error_type,
       abstention, called, scoring_version, attempts)
     SELECT ${id('0c', 'n')}, m, c, 0, 1, m * ${perRun} + c, 'scored', true, 1, 'none', false, '[]', 1, 1
     FROM generate_series(1, ${TEAM.runs}) n, generate_series(0, ${TEAM.models - 1}) m,
       generate_series(1, ${perRun}) c`,
  );
  await sql.query('VACUUM ANALYZE'); // as autovacuum does within a minute
}

/** A suite that ran as often as all others together, with its points of trends. */
async function fillLongTrend(sql, teamId, userId) {
  const { rows } = await sql.query(
    `INSERT INTO suite (id, team_id, name, tools) VALUES (uuidv7(), $1, 'Nightly for years', '[]') RETURNING id`,
    [teamId],
  );
  await sql.query(
    `WITH runs AS (
       INSERT INTO run (id, team_id, user_id, job_id, suite_id, suite_version_id, suite_name, suite_version, status,
         config, samples, case_positions, name, score, finished_at)
       SELECT uuidv7(), $1, $2, uuidv7(), $3, uuidv7(), 'Nightly for years', 1, 'completed', '{}', 1, '{}',
         'Nightly ' || n, 0.8, now() - n * interval '1 min'
       FROM generate_series(1, ${TEAM.runs}) n RETURNING id, team_id, suite_id, finished_at
     ), ended AS (
       INSERT INTO run_against (run_id, team_id, suite_id, models, finished_at, compared_revision, points_revision)
       SELECT id, team_id, suite_id, 'the same', finished_at, 1, 1 FROM runs
     ), parts AS (
       SELECT 'all' AS kind, '' AS part UNION ALL SELECT 'category', 'category ' || g FROM generate_series(1, 20) g
     ), series AS (
       INSERT INTO trend_series (team_id, suite_id, target, kind, part)
       SELECT $1, $3, 'acme::model-' || m, kind, part FROM generate_series(0, ${TEAM.models - 1}) m, parts
       RETURNING id
     )
     INSERT INTO trend_point (run_id, series_id, finished_at, mean, low, high, scored, errored, cost_usd, p95_ms,
       verdict)
     SELECT runs.id, series.id, finished_at, mean, mean - 0.1, mean + 0.1, 20, 0, 0.1, 250,
       CASE WHEN hashtext(runs.id::text) % 500 = 0 THEN 'regressed' END
     FROM runs CROSS JOIN series
       CROSS JOIN LATERAL (SELECT 0.8 + hashtext(runs.id::text || series.id) / 1e11::float8 AS mean) value`,
    [teamId, userId, rows[0].id],
  );
  await sql.query('VACUUM ANALYZE');
  return rows[0].id;
}
