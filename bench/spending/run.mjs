// How long GET /api/spending takes with this many results settled over a year.
//   node bench/spending/run.mjs [results] [requests]
import { cpus } from 'node:os';
import { withSystem } from '../system.mjs';
import { measure, openLoader } from '../scale/million.mjs';

const results = Number(process.argv[2] ?? 10_000_000);
const requests = Number(process.argv[3] ?? 100);

/** The distribution of a year's results. Settlements of each combination add to one of several rows, one per shard. */
const SPREAD = { days: 365, models: 24, suites: 12, people: 8, shards: 4 };
const DAY = `(now() AT TIME ZONE 'UTC')::date`;

const suiteOf = (n) => `5017e000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const personOf = (n) => `9e5050a0-0000-4000-8000-${String(n).padStart(12, '0')}`;

await withSystem(async ({ call, databaseUrl }) => {
  const sql = await openLoader(databaseUrl);
  const teamId = (await call('GET', '/api/me')).team.id;
  console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}`);
  // Results per person, model and day: a run of 250 results, and then one of 25.
  for (const aRun of [250, 25]) {
    const rows = await fill(sql, teamId, aRun);
    console.log(`\n${results} results, ${aRun} in a run of a model: ${rows} rows of daily_spending`);
    console.log('p50 ms  p95 ms  what');
    for (const [what, query] of queries()) {
      const at = await measure(call, `/api/spending${query}`, requests);
      console.log(`${at(0.5)}  ${at(0.95)}  ${what}`);
    }
  }
  await sql.end();
});

function queries() {
  const from = (days) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  return [
    ['this month, by day', ''],
    ['this month, by day and model', '?by=day,model'],
    ['30 days, by day and suite', `?from=${from(29)}&by=day,suite`],
    ['30 days, by model, of one person', `?from=${from(29)}&by=model&person=${personOf(3)}`],
    ['365 days, by day', `?from=${from(364)}`],
    ['365 days, by model, suite and person', `?from=${from(364)}&by=model,suite,person`],
  ];
}

/** Fills the counters as settling does, day by day. @returns the number of rows */
async function fill(sql, teamId, aRun) {
  await sql.query('TRUNCATE daily_spending');
  for (let n = 0; n < SPREAD.people; n++)
    await sql.query('INSERT INTO users (id, team_id, name) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      personOf(n),
      teamId,
      `person ${n}`,
    ]);
  // Half of the suites were deleted.
  for (let n = 0; n < SPREAD.suites / 2; n++)
    await sql.query(`INSERT INTO suite (id, team_id, name, tools) VALUES ($1, $2, $3, '[]') ON CONFLICT DO NOTHING`, [
      suiteOf(n),
      teamId,
      `Suite ${n}`,
    ]);
  const drawn = (salt, of) => `(hashint8(run * 7919 + ${salt}) & 2147483647) % ${of}`;
  await sql.query(
    `INSERT INTO daily_spending (team_id, day, user_id, suite_id, provider_key, model_id, shard, suite_name, results,
       requests, prompt_tokens, completion_tokens, cache_read_tokens, cost_usd)
     SELECT $1, ${DAY} - day, ('9e5050a0-0000-4000-8000-' || lpad(person::text, 12, '0'))::uuid,
       ('5017e000-0000-4000-8000-' || lpad(suite::text, 12, '0'))::uuid, 'sim', 'instant:' || model, shard,
       'Suite ' || suite, count(*) * $2 / 4, count(*) * $2 / 4, count(*) * $2 * 75, count(*) * $2 * 5,
       count(*) * $2 * 20, count(*) * $2 * 0.00002
     FROM (SELECT ${drawn(1, SPREAD.days)} AS day, ${drawn(2, SPREAD.people)} AS person,
         ${drawn(3, SPREAD.suites)} AS suite, ${drawn(4, SPREAD.models)} AS model
       FROM generate_series(1, $3::bigint) AS run) AS runs, generate_series(0, ${SPREAD.shards - 1}) AS shard
     GROUP BY day, person, suite, model, shard ORDER BY day DESC, random()`,
    [teamId, aRun, results / aRun],
  );
  await sql.query('VACUUM ANALYZE daily_spending'); // as autovacuum does within a minute
  return (await sql.query('SELECT count(*) AS n FROM daily_spending')).rows[0].n;
}
