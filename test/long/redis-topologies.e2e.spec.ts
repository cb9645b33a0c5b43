// Private deployments: their Redis is several servers, whose masters fail.
import pg from 'pg';
import pino from 'pino';
import { watchJob } from '#lib/client/watch-job';
import { listen } from '#lib/events/notifications';
import { connectRedis } from '#lib/runtime/redis';
import { clientOf, weatherSuite } from '../client.js';
import { expectExact } from '../exact.js';
import { ADMIN_TOKEN, startProcess, until } from '../processes.js';
import { startCluster, startSentinels, type RedisTopology } from '../redis-topologies.js';
import { playsAll } from '../seed.js';
import { createDatabase } from '../services.js';
import { untilRunCompleted } from '../until-ended.js';

const CONCURRENCY = 10;
const MODEL = 'careless-arguments@100';
/** A commit kills one master. The soak lets masters fail one after another, and brings each back before the next. */
const FAILURES = playsAll ? (['SIGKILL', 'SIGSTOP', 'SIGKILL', 'SIGKILL'] as const) : (['SIGKILL'] as const);
const ITEMS = playsAll ? 6000 : 600;

async function startDeployment(redis: RedisTopology) {
  const database = await createDatabase();
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url, LOG_LEVEL: 'warn' };
  const [simulator, api, ...workers] = await Promise.all([
    startProcess('simulator'),
    startProcess('api', env),
    startProcess('worker', env),
    startProcess('worker', env),
  ]);
  const client = clientOf(api.url);
  const made = await client.post('/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    api_key: 'sk-simulated-key-0123456789',
    limits: { max_concurrency: CONCURRENCY },
    models: [{ id: MODEL }],
  });
  expect(made.status).toBe(201);
  const sql = new pg.Pool({ connectionString: database.url, max: 2 });
  sql.on('error', () => {});
  return { simulator, api, workers, client, sql };
}
type Deployment = Awaited<ReturnType<typeof startDeployment>>;

async function submit({ client }: Deployment, cases: number): Promise<{ jobId: string; evalId: string }> {
  const suite_id = await client.importSuite(weatherSuite(cases));
  const { status, body } = await client.post('/api/tool-eval', { suite_id, models: [`sim::${MODEL}`], cache: 'off' });
  expect(status).toBe(202);
  return { jobId: body.job_id, evalId: body.eval_id };
}

/** The results that a client is sent, in order, until the job ends. */
async function watch({ api }: Deployment, jobId: string): Promise<number[]> {
  const seqs: number[] = [];
  for await (const message of watchJob(api.url, jobId, { token: ADMIN_TOKEN }))
    if (message.name === 'tool_eval_result') seqs.push(message.event.seq);
  return seqs;
}

/** Counts the notifications of a run that arrive over a connection which was there before all failures. */
async function countNotifications(url: string, evalId: string) {
  const subscriber = connectRedis(url, 'subscriber', pino({ level: 'silent' }));
  const heard = { count: 0, close: () => subscriber.disconnect() };
  await listen(subscriber, ['job'], ({ id }) => void (heard.count += Number(id === evalId)));
  return heard;
}

const settledOf = async ({ client }: Deployment, evalId: string): Promise<number> =>
  (await client.get(`/api/tool-eval/history/${evalId}`)).body.counts.settled;

async function playFailures(redis: RedisTopology): Promise<void> {
  const deployment = await startDeployment(redis);
  const { client, sql, simulator, workers } = deployment;
  const { evalId, jobId } = await submit(deployment, ITEMS);
  const watched = watch(deployment, jobId);
  const heard = await countNotifications(redis.url, evalId);
  const [lane] = (await client.get('/api/lanes')).body.items;
  const keys = [`toolmark:{lane-${lane.id}}:wait`, `toolmark:{budget-${lane.id}}:state`];
  const others = [];
  for (const [n, signal] of FAILURES.entries()) {
    const target = ((n + 1) * ITEMS) / (FAILURES.length + 2);
    await until(async () => (await settledOf(deployment, evalId)) >= target, { timeoutMs: 180_000 });
    const failing = redis.failMaster({ key: keys[n % 2]!, signal });
    others.push(await submit(deployment, 20)); // The API takes runs meanwhile.
    const bringBack = await failing;
    const [before, settled] = [heard.count, await settledOf(deployment, evalId)];
    await until(async () => (await settledOf(deployment, evalId)) > settled, { what: 'items after the failover' });
    await until(() => heard.count > before, { what: 'notifications after the failover' });
    if (playsAll) await bringBack();
  }
  await untilRunCompleted(client, evalId, 240_000);
  for (const other of others) await untilRunCompleted(client, other.evalId, 120_000);
  heard.close();
  await expectExact(sql, evalId, ITEMS);
  for (const other of others) await expectExact(sql, other.evalId, 20);
  const seqs = await watched;
  expect(seqs).toHaveLength(ITEMS);
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  const { models } = (await (await fetch(`${simulator.url}/control/stats`)).json()) as any;
  expect(models[MODEL].peak_in_flight).toBeLessThanOrEqual(CONCURRENCY);
  // No worker died, so no item was asked twice.
  expect(models[MODEL].requests).toBe(ITEMS + 20 * others.length);
  expect(await Promise.all(workers.map((worker) => worker.stop()))).toEqual([0, 0]);
  await sql.end();
}

it.each([
  ['Sentinels promote', startSentinels],
  ['a Cluster promotes', startCluster],
])(
  'when a master fails during a run and %s a replica, each item has one result and no limit is exceeded',
  async (_who, start) => playFailures(await start()),
  590_000,
);
