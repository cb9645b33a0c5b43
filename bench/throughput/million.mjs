// A run of a million items to its end: items a second and what every process holds in memory, for each tenth of it;
// whether the last tenth is as fast as the first; and that each item is settled once. node
// bench/throughput/million.mjs [items] [concurrency] [workers]
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { importThousandCases, withSystem } from '../system.mjs';

const items = Number(process.argv[2] ?? 1_000_000);
const concurrency = Number(process.argv[3] ?? 400);
const workerCount = Number(process.argv[4] ?? 2);
const MODELS = 10;
const samples = Math.round(items / MODELS / 1000);
const megabytes = (bytes) => Math.round(bytes / 1e6);
const residentMb = (pid) =>
  megabytes(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024);

await withSystem(async ({ simulator, api, call, start, databaseUrl, redisUrl }) => {
  const workers = [];
  for (let n = 0; n < workerCount; n++) workers.push(await start('worker'));
  const redis = new Redis(redisUrl);
  const sql = new pg.Client({ connectionString: databaseUrl });
  await sql.connect();
  const models = Array.from({ length: MODELS }, (_, n) => `instant:${n}`);
  await call('POST', '/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    limits: { max_concurrency: concurrency },
    models: models.map((id) => ({ id })),
  });
  const suite_id = await importThousandCases(call);
  const before = performance.now();
  const { eval_id } = await call('POST', '/api/tool-eval', {
    suite_id,
    models: models.map((id) => `sim::${id}`),
    samples,
    cache: 'off',
  });
  const all = MODELS * samples * 1000;
  console.log(
    `${cpus().length} cores, ${cpus()[0].model.trim()}; ${all} items of ${MODELS} models submitted ` +
      `in ${Math.round(performance.now() - before)} ms; concurrency ${concurrency}`,
  );
  console.log('      items  items/s  resident MB: workers      api  redis used MB  in flight');

  const processes = [...workers, api];
  let peaks = { resident: processes.map(() => 0), redis: 0 };
  const look = async () => {
    const resident = processes.map(({ pid }) => residentMb(pid));
    const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))[1]);
    peaks = {
      resident: peaks.resident.map((peak, n) => Math.max(peak, resident[n])),
      redis: Math.max(peaks.redis, used),
    };
    return { resident, used };
  };
  const settled = async () =>
    (await sql.query('SELECT sum(settled)::int AS n FROM target WHERE run_id = $1', [eval_id])).rows[0].n;
  const rates = [];
  let mark = { at: performance.now(), n: 0 };
  for (let tenth = 1; tenth <= 10;) {
    await delay(250);
    const { resident, used } = await look();
    const n = await settled();
    if (n < (all / 10) * tenth) continue;
    const now = performance.now();
    rates.push(((n - mark.n) * 1000) / (now - mark.at));
    const flight = (await sql.query('SELECT count(*)::int AS n FROM in_flight')).rows[0].n;
    console.log(
      `${String(n).padStart(11)}  ${String(Math.round(rates.at(-1))).padStart(7)}  ` +
        `${resident.slice(0, -1).join(' ').padStart(20)}  ${String(resident.at(-1)).padStart(7)}  ` +
        `${(used / 1e6).toFixed(1).padStart(13)}  ${String(flight).padStart(9)}`,
    );
    mark = { at: now, n };
    tenth = Math.floor(n / (all / 10)) + 1;
  }
  let run;
  while ((run = await call('GET', `/api/tool-eval/history/${eval_id}`)).status !== 'completed') await delay(250);
  const {
    rows: [counted],
  } = await sql.query(
    `SELECT count(*)::int AS results, count(DISTINCT (target, case_position, sample))::int AS items, count(DISTINCT
      seq)::int AS numbers FROM result WHERE run_id = $1`,
    [eval_id],
  );
  const seconds = (Date.parse(run.finished_at) - Date.parse(run.created_at)) / 1000;
  console.log(
    `${Math.round(all / seconds)} items/s from the submit to the end (${Math.round(seconds)} s); the ` +
      `last tenth ran at ${((100 * rates.at(-1)) / rates[0]).toFixed(0)} % of the first`,
  );
  console.log(
    `peaks: ${peaks.resident.join(', ')} MB resident, Redis ${(peaks.redis / 1e6).toFixed(1)} MB; ` +
      `results ${counted.results}, different items ${counted.items}, different numbers ` +
      `${counted.numbers}`,
  );
  redis.disconnect();
  await sql.end();
  if (counted.results !== all || counted.items !== all || counted.numbers !== all)
    throw new Error('Not every item is settled once.');
});
