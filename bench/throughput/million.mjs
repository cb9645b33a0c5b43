// A run of a million items to its end: items per second and the memory of every process, for each tenth of the run;
// whether the last tenth is as fast as the first; and that each item is settled once.
//   node bench/throughput/million.mjs [items] [concurrency] [workers]
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
const ALL = MODELS * samples * 1000;
const megabytes = (bytes) => Math.round(bytes / 1e6);
const residentMb = (pid) =>
  megabytes(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024);

await withSystem(async ({ simulator, api, call, start, databaseUrl, redisUrl }) => {
  const workers = [];
  for (let n = 0; n < workerCount; n++) workers.push(await start('worker'));
  const redis = new Redis(redisUrl);
  const sql = new pg.Client({ connectionString: databaseUrl });
  sql.on('error', () => {}); // The queries reject.
  await sql.connect();
  const models = Array.from({ length: MODELS }, (_, n) => `instant:${n}`);
  await call('POST', '/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    limits: { max_concurrency: concurrency },
    models: models.map((id) => ({ id })),
  });
  const suiteId = await importThousandCases(call);
  const before = performance.now();
  const { eval_id: evalId } = await call('POST', '/api/tool-eval', {
    suite_id: suiteId,
    models: models.map((id) => `sim::${id}`),
    samples,
    cache: 'off',
  });
  console.log(
    `${cpus().length} cores, ${cpus()[0].model.trim()}; ${ALL} items of ${MODELS} models submitted ` +
      `in ${Math.round(performance.now() - before)} ms; concurrency ${concurrency}`,
  );
  const { rates, peaks } = await followTenths({ sql, redis, evalId, processes: [...workers, api] });
  const seconds = await secondsToEnd(call, evalId);
  console.log(
    `${Math.round(ALL / seconds)} items/s from the submit to the end (${Math.round(seconds)} s); the ` +
      `last tenth ran at ${((100 * rates.at(-1)) / rates[0]).toFixed(0)} % of the first`,
  );
  console.log(`peaks: ${peaks.resident.join(', ')} MB resident, Redis ${(peaks.redis / 1e6).toFixed(1)} MB`);
  await requireOneResultEach(sql, evalId);
  redis.disconnect();
  await sql.end();
});

/** Prints a line for each tenth of the run. */
async function followTenths({ sql, redis, evalId, processes }) {
  console.log('      items  items/s  resident MB: workers      api  redis used MB  in flight');
  const rates = [];
  let peaks = { resident: processes.map(() => 0), redis: 0 };
  let mark = { at: performance.now(), settled: 0 };
  for (let tenth = 1; tenth <= 10;) {
    await delay(250);
    const resident = processes.map(({ pid }) => residentMb(pid));
    const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))[1]);
    peaks = {
      resident: peaks.resident.map((peak, n) => Math.max(peak, resident[n])),
      redis: Math.max(peaks.redis, used),
    };
    const settled = await countOf(sql, 'SELECT sum(settled)::int AS n FROM target WHERE run_id = $1', [evalId]);
    if (settled < (ALL / 10) * tenth) continue;
    const now = performance.now();
    rates.push(((settled - mark.settled) * 1000) / (now - mark.at));
    const inFlight = await countOf(sql, 'SELECT count(*)::int AS n FROM in_flight');
    console.log(
      `${String(settled).padStart(11)}  ${String(Math.round(rates.at(-1))).padStart(7)}  ` +
        `${resident.slice(0, -1).join(' ').padStart(20)}  ${String(resident.at(-1)).padStart(7)}  ` +
        `${(used / 1e6).toFixed(1).padStart(13)}  ${String(inFlight).padStart(9)}`,
    );
    mark = { at: now, settled };
    tenth = Math.floor(settled / (ALL / 10)) + 1;
  }
  return { rates, peaks };
}

async function countOf(sql, query, values) {
  return (await sql.query(query, values)).rows[0].n;
}

async function secondsToEnd(call, evalId) {
  let run;
  while ((run = await call('GET', `/api/tool-eval/history/${evalId}`)).status !== 'completed') await delay(250);
  return (Date.parse(run.finished_at) - Date.parse(run.created_at)) / 1000;
}

async function requireOneResultEach(sql, evalId) {
  const { rows } = await sql.query(
    `SELECT count(*)::int AS results, count(DISTINCT (target, case_position, sample))::int AS items,
       count(DISTINCT seq)::int AS numbers
     FROM result WHERE run_id = $1`,
    [evalId],
  );
  const [{ results, items: different, numbers }] = rows;
  console.log(`results ${results}, different items ${different}, different numbers ${numbers}`);
  if (results !== ALL || different !== ALL || numbers !== ALL) throw new Error('Not every item is settled once.');
}
