// The CPU time of what a fleet asks of Postgres and Redis again and again, by what could make it grow: rows in flight,
// live workers, and listeners of notifications. No worker runs.
//   node bench/fleet/statements.mjs [--lanes=100]
import { cpus } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import pg from 'pg';
import { root } from '../../scripts/set-up.mjs';
import { cpuMs, importThousandCases, withSystem } from '../system.mjs';

const { values } = parseArgs({ options: { lanes: { type: 'string', default: '100' } } });
const lanes = Number(values.lanes);
const ROWS = [1000, 10_000, 100_000];
const WORKERS = [10, 100, 1000];
const LISTENERS = [10, 100, 1000];
/** What one worker of many looks after. */
const OWN_LANES = 5;
const OWN_ITEMS = 50;
const MEASURED_MS = 1000;
let lastId = 0;

const load = (module) => import(pathToFileURL(join(root, 'dist/libs', `${module}.js`)).href);
const [{ createPool }, { busyLanes, laneLoads }, { pulse }, { reconcileLane }, { renewLeases }, { listen, notify }] =
  await Promise.all(
    [
      'db/connection/pool',
      'db/engine/busy-lanes',
      'db/engine/live-workers',
      'db/engine/reconcile-lane',
      'db/engine/claim-items',
      'events/notifications',
    ].map(load),
  );
const line = (...cells) => console.log(`| ${cells.join(' | ')} |`);
const head = (...cells) => (line(...cells), line(...cells.map(() => '---')));

console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}; ${lanes} lanes, CPU of one call`);
await withSystem(async ({ call, databaseUrl, redisUrl }) => {
  const pool = createPool(databaseUrl, 1);
  const sql = new pg.Pool({ connectionString: databaseUrl, max: 1, options: '-c session_replication_role=replica' });
  try {
    await addRuns(call);
    await measureRows(pool, sql);
    await measureWorkers(pool, sql);
    await measureListeners(redisUrl);
  } finally {
    await pool.end();
    await sql.end();
  }
});
process.exit(0);

/** A run in each lane. */
async function addRuns(call) {
  const suite_id = await importThousandCases(call);
  for (let n = 0; n < lanes; n++) {
    const [key, base_url] = [`lane-${n}`, 'http://127.0.0.1:9/v1'];
    await call('POST', '/api/providers', { key, base_url, api_key: `sk-${key}-0123456789`, models: [{ id: 'model' }] });
    await call('POST', '/api/tool-eval', { suite_id, models: [`${key}::model`], samples: 1, cache: 'off' });
  }
}

/** Claimed items of 100 workers, whose leases hold, evenly over the lanes. */
async function putInFlight(sql, rows) {
  await sql.query('TRUNCATE in_flight');
  await sql.query(
    `INSERT INTO in_flight (run_id, target, item, lane_id, token, worker, lease_until, begun)
     SELECT t.run_id, t.ordinal, nth / $2, t.lane_id, nextval('delivery_token'), 'worker ' || nth % 100,
       now() + interval '1 day', true
     FROM generate_series(0, $1 - 1) AS nth
     JOIN (SELECT *, row_number() OVER (ORDER BY run_id) - 1 AS place FROM target) t ON t.place = nth % $2`,
    [rows, lanes],
  );
  await sql.query(`UPDATE run SET status = 'running'`);
  await sql.query('VACUUM ANALYZE in_flight, target, run');
}

async function measureRows(pool, sql) {
  const { rows: ids } = await sql.query('SELECT id FROM lane ORDER BY id LIMIT $1', [OWN_LANES]);
  const laneIds = ids.map(({ id }) => id);
  const statements = {
    'which lanes are busy (each worker, every second)': () => busyLanes(pool),
    [`how full ${OWN_LANES} lanes are (their owner)`]: () => laneLoads(pool, laneIds),
    'reconciling a lane (its owner)': () => reconcileLane(pool, laneIds[0], 'worker 0', true, async () => []),
    [`renewing ${OWN_ITEMS} leases (each worker)`]: (items) => renewLeases(pool, 'worker 0', items),
  };
  const found = Object.fromEntries(Object.keys(statements).map((name) => [name, []]));
  for (const rows of ROWS) {
    await putInFlight(sql, rows);
    const { rows: items } = await sql.query(
      `SELECT run_id AS "runId", target, item, token::int AS token, true AS begun FROM in_flight
       WHERE worker = 'worker 0' LIMIT $1`,
      [OWN_ITEMS],
    );
    for (const [name, statement] of Object.entries(statements))
      found[name].push(await cpuOfCall(pool, () => statement(items)));
  }
  console.log();
  head('Postgres, ms, by rows in flight', ...ROWS.map((n) => n.toLocaleString('en')));
  for (const [name, figures] of Object.entries(found)) line(name, ...figures.map((ms) => ms.toFixed(2)));
}

async function measureWorkers(pool, sql) {
  const figures = [];
  for (const workers of WORKERS) {
    await sql.query('TRUNCATE worker');
    await sql.query(
      `INSERT INTO worker (id, level, has_redis, seen_at)
       SELECT 'worker-' || gen_random_uuid(), 1, true, now() + interval '1 hour' FROM generate_series(2, $1)`,
      [workers],
    );
    const keys = Array.from({ length: 7 }, (_, n) => `step ${n}`);
    figures.push(await cpuOfCall(pool, () => pulse(pool, { id: 'worker 0', hasRedis: true }, ['step 0'], keys)));
  }
  console.log();
  head('Postgres, ms, by live workers', ...WORKERS.map((n) => n.toLocaleString('en')));
  line('telling of oneself, hearing of the others (each worker)', ...figures.map((ms) => ms.toFixed(2)));
}

/** CPU milliseconds of the backend of the pool's only connection. */
async function cpuOfCall(pool, work) {
  for (let n = 0; n < 5; n++) await work(); // Prepared statements get their plan.
  const { rows } = await pool.query('SELECT pg_backend_pid() AS pid');
  const before = cpuMs(rows[0].pid);
  let calls = 0;
  for (const until = performance.now() + MEASURED_MS; performance.now() < until; calls++) await work();
  return (cpuMs(rows[0].pid) - before) / calls;
}

async function measureListeners(redisUrl) {
  const redis = new Redis(redisUrl);
  const listeners = [];
  const rings = {
    'a channel for all topics': (n) => redis.publish('toolmark:doorbell', JSON.stringify({ topic: 'job', id: `${n}` })),
    'a lane has work, heard by all workers': (n) => notify(redis, { topic: 'lane', id: `${n}` }),
    'a job grew, heard by two APIs': (n) => notify(redis, { topic: 'job', id: `${n}` }),
  };
  const found = Object.fromEntries(Object.keys(rings).map((name) => [name, []]));
  for (const api of [1, 2]) listeners.push(await startListener(redisUrl, ['job'], api));
  for (const count of LISTENERS) {
    while (listeners.length < count + 2) listeners.push(await startListener(redisUrl, ['lane', 'cancel', 'provider']));
    for (const [name, ring] of Object.entries(rings)) found[name].push(await cpuOfRing(redis, ring));
  }
  console.log();
  head('Redis, us a notification, by listening workers', ...LISTENERS.map((n) => n.toLocaleString('en')));
  for (const [name, figures] of Object.entries(found)) line(name, ...figures.map((us) => us.toFixed(0)));
  for (const one of [...listeners, redis]) one.disconnect();
}

async function startListener(redisUrl, topics) {
  const subscriber = new Redis(redisUrl);
  await listen(subscriber, topics, () => {});
  return subscriber;
}

async function cpuOfRing(redis, ring) {
  const spentUs = async () => {
    const used = (await redis.info('cpu')).matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm);
    return [...used].reduce((sum, [, seconds]) => sum + Number(seconds) * 1e6, 0);
  };
  const before = await spentUs();
  let count = 0;
  for (const until = performance.now() + MEASURED_MS; performance.now() < until; count++) await ring(lastId++);
  return ((await spentUs()) - before) / count;
}
