// A private system: it empties and kills its Redis.
import pg from 'pg';
import { clientOf, weatherSuite, type Client } from './client.js';
import { startEndpoint } from './endpoint.js';
import { expectExact } from './exact.js';
import { startProcess, until, type RunningProcess } from './processes.js';
import { createDatabase, startRedis, type PrivateRedis } from './services.js';
import { untilRunCompleted } from './until-ended.js';

let redis: PrivateRedis;
let first: RunningProcess;
let second: RunningProcess;
let client: Client;
let sql: pg.Pool;

beforeAll(async () => {
  const database = await createDatabase();
  redis = await startRedis();
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  const worker = (): Promise<RunningProcess> => startProcess('worker', { ...env, LOG_LEVEL: 'warn' });
  const [simulator, api, ...workers] = await Promise.all([
    startProcess('simulator'),
    startProcess('api', env),
    worker(),
    worker(),
  ]);
  [first, second] = workers as [RunningProcess, RunningProcess];
  client = clientOf(api.url);
  sql = new pg.Pool({ connectionString: database.url, max: 2 });
  sql.on('error', () => {});
  const made = await client.post('/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    api_key: 'sk-simulated-key-0123456789',
    limits: { max_concurrency: 20 },
    models: ['perfect-ish', 'careless-arguments', 'text-only', 'no-required', 'slow-40', 'flaky-30', 'hangs'].map(
      (id) => ({ id }),
    ),
  });
  expect(made.status).toBe(201);
});
afterAll(() => sql.end());

async function submit(cases: number, models: string[], more: object = {}): Promise<{ jobId: string; evalId: string }> {
  const suite_id = await client.importSuite(weatherSuite(cases));
  const answer = await client.post('/api/tool-eval', { suite_id, models, cache: 'off', ...more });
  expect(answer).toMatchObject({ status: 202, body: { status: 'submitted' } });
  return { jobId: answer.body.job_id, evalId: answer.body.eval_id };
}
const run = async (evalId: string) => (await client.get(`/api/tool-eval/history/${evalId}`)).body;
const settled = (evalId: string, count: number) =>
  until(async () => (await run(evalId)).counts.settled >= count, { what: `${count} settled items` });

describe('a run on two worker processes', () => {
  it('scores every item of every model once, and reports adapted requests', async () => {
    const { evalId, jobId } = await submit(
      8,
      ['sim::perfect-ish', 'careless-arguments', 'text-only', 'no-required', 'flaky-30'],
      { samples: 2 },
    );
    const done = await untilRunCompleted(client, evalId, 120_000);
    await expectExact(sql, evalId, 80);
    const overall = Object.fromEntries(done.summaries.map((summary: any) => [summary.target, summary.overall]));
    expect(overall['sim::perfect-ish']).toBe(1);
    expect(overall['sim::careless-arguments']).toBeLessThan(1);
    expect(overall['sim::text-only']).toBe(0);
    expect(done.summaries.find((summary: any) => summary.target === 'sim::flaky-30')).toMatchObject({
      errored: 0,
      overall: 1,
    });
    const { rows } = await sql.query(
      `SELECT data::json ->> 'code' AS code FROM job_event WHERE job_id = $1 AND name = 'eval_warning'`,
      [jobId],
    );
    expect(rows).toEqual([{ code: 'tool_choice:sim::no-required' }]);
    expect(done.warnings).toEqual([
      {
        code: 'tool_choice:sim::no-required',
        message: expect.stringMatching(/refuses tool_choice "required"; "auto"/),
        at: expect.any(String),
      },
    ]);
    const usedBy = (target: string) =>
      done.summaries.find((summary: any) => summary.target === target).tool_choice_used;
    expect([usedBy('sim::perfect-ish'), usedBy('sim::no-required')]).toEqual([{ required: 16 }, { auto: 16 }]);
    const results = await client.get(`/api/tool-eval/history/${evalId}/results?model=no-required&limit=200`);
    expect(new Set(results.body.items.map((result: any) => result.tool_choice_used))).toEqual(new Set(['auto']));
    const one = await client.get(`/api/tool-eval/history/${evalId}/results/${results.body.items[0].id}`);
    expect(one.body.exchange.requests[0].messages[0].content).toMatch(/weather in Paris/);
    expect(one.body.explanation[0]).toMatch(/right tool/);
  });

  it('exports in every format', async () => {
    const { evalId } = await submit(3, ['perfect-ish', 'text-only']);
    await untilRunCompleted(client, evalId, 120_000);
    const jsonl = await client.get(`/api/tool-eval/history/${evalId}/export?format=jsonl`);
    expect(
      jsonl.body
        .trim()
        .split('\n')
        .map((line: string) => JSON.parse(line).passed)
        .sort(),
    ).toEqual([false, false, false, true, true, true]);
    expect((await client.get(`/api/tool-eval/history/${evalId}/export?format=json`)).body.results).toHaveLength(6);
    expect(
      (await client.get(`/api/tool-eval/history/${evalId}/export?format=csv`)).body.trim().split('\r\n'),
    ).toHaveLength(7);
    expect((await client.get(`/api/tool-eval/history/${evalId}/export?format=junit`)).body).toMatch(
      /tests="6" failures="3" errors="0"/,
    );
  });

  it('stops at once when it is cancelled, keeps settled items and ignores late replies', async () => {
    const endpoint = await startEndpoint();
    await client.post('/api/providers', {
      key: 'waits',
      base_url: endpoint.url,
      limits: { max_concurrency: 8 },
      models: [{ id: 'one' }, { id: 'two' }],
    });
    const { evalId, jobId } = await submit(100, ['waits::one']);
    for (let n = 1; n <= 20; n++) {
      await until(() => endpoint.waiting().length > 0);
      endpoint.answer(1);
    }
    await settled(evalId, 20);
    await until(() => endpoint.waiting().length === 8, { what: 'as many requests as there may be' });
    expect((await client.post('/api/tool-eval/cancel', { job_id: jobId })).body.status).toBe('cancelled');
    const results = async (): Promise<number> =>
      (await sql.query('SELECT count(*)::int AS n FROM result WHERE run_id = $1', [evalId])).rows[0].n;
    const kept = await results();
    await until(() => endpoint.waiting().length === 0, { what: 'all requests to be given up' });
    expect(await sql.query('SELECT 1 FROM in_flight WHERE run_id = $1', [evalId])).toHaveProperty('rowCount', 0);
    endpoint.open();
    // Any of its requests still waiting for the lane would have come before these.
    await untilRunCompleted(client, (await submit(40, ['waits::two'])).evalId, 120_000);
    expect(endpoint.asked.filter(({ body }) => body.model === 'one')).toHaveLength(28);
    expect(kept).toBe(20);
    expect(await results()).toBe(kept);
    expect((await client.post(`/api/jobs/${jobId}/cancel`)).status).toBe(409);
    const job = (await client.get(`/api/jobs/${jobId}`)).body;
    expect(job).toMatchObject({ status: 'cancelled', result_ref: evalId, progress: { done: kept, total: 100 } });
  });

  it('completes when Redis is flushed in between', async () => {
    const { evalId } = await submit(120, ['slow-40']);
    await settled(evalId, 15);
    await redis.flushAll();
    await settled(evalId, 60);
    await redis.flushAll();
    await untilRunCompleted(client, evalId, 120_000);
    await expectExact(sql, evalId, 120);
  });

  it('completes when Redis is down for a while, and accepts runs meanwhile', async () => {
    const { evalId } = await submit(100, ['slow-40']);
    await settled(evalId, 10);
    await redis.kill();
    const second = await submit(5, ['perfect-ish']);
    await redis.restart();
    await Promise.all([untilRunCompleted(client, evalId, 120_000), untilRunCompleted(client, second.evalId, 120_000)]);
    await expectExact(sql, evalId, 100);
  });

  it('settles every item once when a worker is killed in between', async () => {
    const { evalId } = await submit(120, ['slow-40']);
    await settled(evalId, 20);
    await first.kill('SIGKILL');
    await untilRunCompleted(client, evalId, 120_000);
    await expectExact(sql, evalId, 120);
    const { rows } = await sql.query('SELECT count(*)::int AS errored FROM result WHERE run_id = $1 AND outcome = $2', [
      evalId,
      'errored',
    ]);
    expect(rows[0].errored).toBe(0);
  });
});

it('a worker stops on a signal, even though Redis is down', async () => {
  await submit(5, ['perfect-ish']).then(({ evalId }) => untilRunCompleted(client, evalId, 120_000));
  await redis.kill();
  expect(await second.stop()).toBe(0);
});
