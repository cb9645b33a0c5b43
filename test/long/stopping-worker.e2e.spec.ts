// A private system: its workers are stopped.
import pg from 'pg';
import { clientOf, weatherSuite, type Client } from '../client.js';
import { calling, startEndpoint } from '../endpoint.js';
import { startProcess, type RunningProcess } from '../processes.js';
import { createDatabase, createRedis } from '../services.js';
import { untilRunCompleted } from '../until-ended.js';
import { until } from '../until.js';

let client: Client;
let sql: pg.Pool;
let env: Record<string, string>;
beforeAll(async () => {
  const [database, redis] = [await createDatabase(), await createRedis()];
  env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  client = clientOf((await startProcess('api', env)).url);
  sql = new pg.Pool({ connectionString: database.url, max: 3 });
  sql.on('error', () => {});
}, 150_000);
afterAll(() => sql.end());

const startWorker = (more: Record<string, string> = {}) => startProcess('worker', { ...env, ...more });
let names = 0;
async function submit(
  url: string,
  suite: object,
  more: object = {},
  limits: object = { max_concurrency: 4 },
): Promise<string> {
  const key = `stopping-${names++}`;
  expect(
    (
      await client.post('/api/providers', {
        key,
        base_url: url,
        api_key: `sk-${key}-0123456789`,
        limits,
        models: [{ id: 'm' }],
      })
    ).status,
  ).toBe(201);
  const { body } = await client.post('/api/tool-eval/import', suite);
  const made = await client.post('/api/tool-eval', {
    suite_id: body.suite_id,
    models: [`${key}::m`],
    cache: 'off',
    tool_choice: 'auto',
    ...more,
  });
  expect(made.status).toBe(202);
  return made.body.eval_id;
}
const counts = async (id: string) => (await client.get(`/api/tool-eval/history/${id}`)).body.counts;
const claimed = async (): Promise<number> =>
  (await sql.query('SELECT 1 FROM in_flight WHERE worker IS NOT NULL')).rowCount!;
/** Waits until it reports that it is draining. */
async function tellToStop(worker: RunningProcess): Promise<void> {
  process.kill(worker.pid, 'SIGTERM');
  await until(() => worker.logs().includes('Draining'), { what: 'the worker to hear of it' });
}

it('a stopping worker hands back waiting items and settles its requests; others do the rest once', async () => {
  const endpoint = await startEndpoint();
  const worker = await startWorker();
  const id = await submit(endpoint.url, weatherSuite(30));
  await until(() => endpoint.waiting().length === 4, { what: 'all that it may ask' });
  await until(async () => (await claimed()) === 5, { what: 'one more claimed, which waits for its turn' });
  await tellToStop(worker);
  await until(async () => (await claimed()) === 4, { what: 'that one to be handed back' });
  expect((await fetch(`${worker.url}/readyz`)).status).toBe(503);
  expect((await counts(id)).settled).toBe(0);
  endpoint.open();
  expect(await worker.exited).toBe(0);
  expect(worker.logs()).toContain('Stopped');
  expect(await counts(id)).toMatchObject({ settled: 4, errored: 0 });
  expect(endpoint.asked).toHaveLength(4);
  const next = await startWorker();
  await untilRunCompleted(client, id);
  expect(endpoint.asked).toHaveLength(30);
  await next.stop();
}, 120_000);

it('claims stop first, however long a step of its control loop takes', async () => {
  const endpoint = await startEndpoint();
  const held = await sql.connect();
  await held.query('BEGIN');
  await held.query('LOCK TABLE idempotency_key'); // Housekeeping waits for it.
  const worker = await startWorker();
  const id = await submit(endpoint.url, weatherSuite(30));
  await until(() => endpoint.waiting().length === 4, { what: 'all that it may ask' });
  await until(
    async () =>
      (
        await sql.query(
          `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'DELETE FROM idempotency_key%'`,
        )
      ).rowCount === 1,
    { what: 'housekeeping to wait' },
  );
  await tellToStop(worker);
  endpoint.open();
  await until(async () => (await counts(id)).settled === 4, { what: 'what it had asked' });
  await until(async () => (await claimed()) === 0, { what: 'nothing to be claimed' });
  await held.query('ROLLBACK');
  held.release();
  expect(await worker.exited).toBe(0);
  expect(endpoint.asked).toHaveLength(4);
  expect(
    (await client.post(`/api/tool-eval/cancel`, { job_id: (await client.get(`/api/jobs`)).body.items[0].id })).status,
  ).toBe(202);
}, 120_000);

it('chains continue to their last round, even one that waits for its turn', async () => {
  const endpoint = await startEndpoint(({ messages }) => {
    const answered = messages.filter(({ role }: any) => role === 'tool').length;
    return answered < 2 ? calling(['find_user', 'list_orders'][answered]!, {}) : calling('refund', {});
  });
  const worker = await startWorker();
  const tool = (name: string) => ({
    type: 'function',
    function: { name, parameters: { type: 'object', properties: {} } },
  });
  const id = await submit(
    endpoint.url,
    {
      name: 'Chains',
      tools: ['find_user', 'list_orders', 'refund'].map(tool),
      test_cases: ['it', 'both'].map((what) => ({
        prompt: `Refund ${what}.`,
        multi_turn: true,
        optimal_hops: 3,
        expected_tool: 'refund',
        mock_responses: { find_user: 'Ann', list_orders: 'one' },
      })),
    },
    {},
    { max_concurrency: 1 },
  );
  await until(async () => (await claimed()) === 2 && endpoint.waiting().length === 1, {
    what: 'the first round of one, for which the other waits',
  });
  endpoint.answer(1);
  await until(() => endpoint.asked.length === 2, { what: 'the first round of the other' });
  await tellToStop(worker);
  endpoint.open();
  expect(await worker.exited).toBe(0);
  expect(endpoint.asked).toHaveLength(6);
  expect(await counts(id)).toMatchObject({ settled: 2, passed: 2, errored: 0 });
}, 120_000);

it('a reply that waits for an embedding gets it', async () => {
  const [models, embeddings] = [await startEndpoint(), await startEndpoint()];
  await client.post('/api/providers', { key: 'embeddings', base_url: embeddings.url, models: [{ id: 'e' }] });
  expect((await client.put('/api/settings/embedding', { provider_key: 'embeddings', model_id: 'e' })).status).toBe(200);
  const worker = await startWorker();
  const suite = weatherSuite(2);
  const id = await submit(models.url, {
    ...suite,
    test_cases: suite.test_cases.map((one, n) => ({
      ...one,
      expected_params: { city: `The capital of France, ${n}` },
      param_scoring: 'semantic',
    })),
  });
  await until(() => models.waiting().length === 2, { what: 'both requests' });
  models.answer(1);
  await until(() => embeddings.waiting().length === 1, { what: 'the embedding for one to be asked for' });
  await tellToStop(worker);
  models.open();
  await until(() => embeddings.asked.length === 2, { what: 'the embedding for the other' });
  embeddings.open();
  expect(await worker.exited).toBe(0);
  expect(models.asked).toHaveLength(2);
  expect(await counts(id)).toMatchObject({ settled: 2, passed: 2, errored: 0 });
}, 120_000);

it('unfinished items are handed back at the deadline, do not count as crashes, and are played by others', async () => {
  const endpoint = await startEndpoint();
  const worker = await startWorker({ TOOLMARK_DRAIN_SECONDS: '1' });
  const id = await submit(endpoint.url, weatherSuite(4));
  await until(() => endpoint.waiting().length === 4, { what: 'all four' });
  expect(await worker.stop()).toBe(0);
  expect(worker.logs()).toContain('Returning items that did not end in time');
  expect((await sql.query('SELECT lost, crashes, worker FROM in_flight')).rows).toEqual(
    Array(4).fill({ lost: 0, crashes: 0, worker: null }),
  );
  endpoint.open();
  await startWorker();
  await untilRunCompleted(client, id);
  expect(await counts(id)).toMatchObject({ settled: 4, errored: 0 });
}, 120_000);
