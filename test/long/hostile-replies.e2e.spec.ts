// A private system: its one worker gets all of the replies.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { clientOf, weatherSuite, type Client } from '../client.js';
import { startProcess, until, type RunningProcess } from '../processes.js';
import { playsAll } from '../seed.js';
import { createDatabase, createRedis } from '../services.js';
import { untilRunCompleted } from '../until-ended.js';

/** Keeps every letter too rare for difflib to ignore it. */
const letters = (length: number, step: number): string =>
  Array.from({ length }, (_, n) => String.fromCharCode(0x100 + ((n * step + ((n * n) % 97)) % 150))).join('');
const call = (args: object) => ({
  id: 'c',
  type: 'function',
  function: { name: 'get_weather', arguments: JSON.stringify(args) },
});

/** The reply of each model of the hostile provider. */
const REPLIES: Record<string, object> = {
  'sixty-thousand-calls': { tool_calls: Array.from({ length: 60_000 }, () => call({ city: 'Paris' })) },
  'megabytes-of-braces': { content: `"name" ${'{'.repeat(14 * 2 ** 20)}` },
  'megabytes-of-names': { content: '{"name"'.repeat(1.5 * 2 ** 20) },
  'deep-arguments': {
    tool_calls: [
      { ...call({}), function: { name: 'get_weather', arguments: `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}` } },
    ],
  },
  'endless-comparison': { tool_calls: Array.from({ length: 100 }, (_, n) => call({ city: letters(19_000, n + 2) })) },
  'an-argument-of-megabytes': { tool_calls: [call({ city: 'x'.repeat(12 * 2 ** 20) })] },
};
/** Items per model. */
const ITEMS = playsAll ? 6 : 2;

let provider: Server;
const asked = new Map<string, number>();
let workers: RunningProcess[];
let sql: pg.Pool;
let hostile: Client;
let honest: Client;

beforeAll(async () => {
  const answers = new Map(
    Object.entries(REPLIES).map(([model, message]) => [
      model,
      JSON.stringify({
        choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: null, ...message } }],
      }),
    ]),
  );
  provider = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { model } = JSON.parse(body) as { model: string };
      asked.set(model, (asked.get(model) ?? 0) + 1);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(answers.get(model));
    });
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const [database, redis] = [await createDatabase(), await createRedis()];
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  const [simulator, api, worker] = await Promise.all([
    startProcess('simulator'),
    startProcess('api', env),
    startProcess('worker', { ...env, LOG_LEVEL: 'warn' }),
  ]);
  workers = [worker];
  sql = new pg.Pool({ connectionString: database.url, max: 2 });
  sql.on('error', () => {});
  honest = clientOf(api.url);
  hostile = clientOf(api.url, (await honest.post('/api/teams', { name: 'hostile' })).body.token.token as string);
  const limits = { max_concurrency: 40 };
  await hostile.post('/api/providers', {
    key: 'bad',
    base_url: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`,
    limits,
    models: Object.keys(REPLIES).map((id) => ({ id })),
  });
  await honest.post('/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    limits: { max_concurrency: 8 },
    models: [{ id: 'slow-300' }],
  });
}, 120_000);
afterAll(async () => {
  await sql?.end();
  provider.closeAllConnections();
  provider.close();
});

const resultsOf = async (evalId: string, model: string) =>
  (
    await sql.query<{ outcome: string; kind: string | null; type: string; attempts: number; stored: number }>(
      `SELECT r.outcome, r.error_kind AS kind, r.error_type AS type, r.attempts, coalesce(length(r.called::text), 0)
        + coalesce(length(r.evidence::text), 0) AS stored
   FROM result r JOIN target t ON t.run_id = r.run_id AND t.ordinal = r.target WHERE r.run_id = $1 AND t.model_id = $2`,
      [evalId, model],
    )
  ).rows;

it('replies of a hostile provider end no worker and block no other team, and each is paid for once', async () => {
  const suite = weatherSuite(ITEMS);
  const fuzzy = {
    expected_calls: Array.from({ length: 50 }, (_, n) => ({
      tool: 'get_weather',
      params: { city: letters(900, n + 60) },
    })),
    param_scoring: 'fuzzy',
  };
  const cases = suite.test_cases.map(({ name, prompt }) => ({ name, prompt, ...fuzzy }));
  const theirs = await hostile.post('/api/tool-eval/import', { ...suite, test_cases: cases });
  const ours = await honest.post('/api/tool-eval/import', weatherSuite(60));
  expect([theirs.status, ours.status]).toEqual([201, 201]);
  const submit = async (client: Client, suiteId: string, models: string[]): Promise<string> => {
    const answer = await client.post('/api/tool-eval', {
      suite_id: suiteId,
      models,
      cache: 'off',
      model_order: 'parallel',
    });
    expect(answer).toMatchObject({ status: 202 });
    return answer.body.eval_id as string;
  };
  const bad = await submit(
    hostile,
    theirs.body.suite_id as string,
    Object.keys(REPLIES).map((id) => `bad::${id}`),
  );
  await until(async () => (asked.get('sixty-thousand-calls') ?? 0) > 0, { what: 'the hostile provider to be asked' });
  const good = await submit(honest, ours.body.suite_id as string, ['sim::slow-300']);

  expect((await untilRunCompleted(honest, good, 240_000)).counts).toMatchObject({ settled: 60, errored: 0 });
  await untilRunCompleted(hostile, bad, 240_000);
  const oversized = { outcome: 'scored', type: 'oversized_reply', attempts: 1 };
  const expected: Record<string, object> = {
    'sixty-thousand-calls': oversized,
    'megabytes-of-braces': oversized,
    'megabytes-of-names': oversized,
    'deep-arguments': oversized,
    'endless-comparison': { outcome: 'errored', kind: 'unscorable', attempts: 1 },
    'an-argument-of-megabytes': { outcome: 'scored', attempts: 1 },
  };
  for (const [model, result] of Object.entries(expected)) {
    const results = await resultsOf(bad, model);
    expect([model, results]).toEqual([model, Array.from({ length: ITEMS }, () => expect.objectContaining(result))]);
    expect(Math.max(...results.map(({ stored }) => stored))).toBeLessThan(2 ** 20);
    expect([model, asked.get(model)]).toEqual([model, ITEMS]);
  }
  const isRunning = await Promise.all(
    workers.map(({ exited }) => Promise.race([exited.then(() => false), Promise.resolve(true)])),
  );
  expect(isRunning).toEqual([true]);
}, 300_000);

it('a rescore of such a run skips what cannot be scored', async () => {
  const runs = await hostile.get('/api/tool-eval/history');
  const { id: evalId } = runs.body.items[0];
  const started = await hostile.post(`/api/tool-eval/history/${evalId}/rescore`, {});
  expect(started.status).toBe(202);
  const job = await until(
    async () => {
      const { body } = await hostile.get(`/api/jobs/${started.body.job_id}`);
      return body.status !== 'queued' && body.status !== 'running' && body;
    },
    { what: 'the rescore to end', timeoutMs: 240_000 },
  );
  expect(job).toMatchObject({ status: 'completed' });
}, 300_000);
