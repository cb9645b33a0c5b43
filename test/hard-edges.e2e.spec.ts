import pg from 'pg';
import { clientOf, weatherSuite, type Client } from './client.js';
import { startProcess, until, type RunningProcess } from './processes.js';
import { createDatabase, createRedis } from './services.js';

const PLANTED_KEY = 'sk-planted-0123456789-must-not-leak';
let client: Client;
let processes: RunningProcess[];
let sql: pg.Pool;

beforeAll(async () => {
  const [database, redis] = [await createDatabase(), await createRedis()];
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url, LOG_LEVEL: 'debug' };
  const simulator = await startProcess('simulator');
  processes = [await startProcess('api', env), await startProcess('worker', env)];
  client = clientOf(processes[0]!.url);
  sql = new pg.Pool({ connectionString: database.url, max: 2 });
  sql.on('error', () => {});
  const models = ['html-error', 'wrong-key', 'hangs', 'cut-off', 'huge', 'invalid-utf8', 'redirect', 'bad-request', 'malformed-json', 'double-encoded',
    'json-in-content', 'json-in-name', 'unknown-tool', 'parallel', 'text-only', 'perfect-ish', 'nobody-knows-me'].map((id) => ({ id, unsupported_params: id === 'text-only' ? ['temperature'] : [] }));
  const provider = (key: string, base_url: string, models: object[]) => client.post('/api/providers', { key, base_url, api_key: PLANTED_KEY, limits: { max_concurrency: 20 }, models });
  for (const made of [
    await provider('sim', `${simulator.url}/v1`, models),
    await provider('nowhere', 'http://no-such-host.invalid/v1', [{ id: 'm' }]),
    await provider('refusing', 'http://127.0.0.1:9/v1', [{ id: 'm' }]),
  ]) expect(made.status).toBe(201);
}, 60_000);
afterAll(() => sql.end());

it('whatever a provider does ends as a scored reply or an errored item with a message a person understands', async () => {
  const suite = await client.post('/api/tool-eval/import', weatherSuite(2));
  const names = (await client.get('/api/providers')).body.items.flatMap((provider: any) => provider.models.map((model: any) => `${provider.key}::${model.id}`));
  const { body } = await client.post('/api/tool-eval', { suite_id: suite.body.suite_id, models: names, timeout_s: 1, model_order: 'parallel' });
  const run = await until(async () => { const now = (await client.get(`/api/tool-eval/history/${body.eval_id}`)).body; return now.status === 'completed' && now; }, { timeoutMs: 100_000, what: 'the run to complete' });
  const results = (await client.get(`/api/tool-eval/history/${body.eval_id}/results?limit=200`)).body.items;
  const of = (target: string) => results.filter((result: any) => result.target === target).map((result: any) => result.error?.kind ?? `${result.error_type}${result.passed ? ' passed' : ''}`);
  const message = (target: string): string => results.find((result: any) => result.target === target).error?.message;
  expect(Object.fromEntries(names.map((name: string) => [name, [...new Set(of(name))]]))).toEqual({
    'sim::html-error': [expect.stringMatching(/provider_5xx|bad_response/)], 'sim::wrong-key': ['auth'], 'sim::hangs': ['timeout'], 'sim::cut-off': ['malformed_arguments'],
    'sim::huge': ['bad_response'], 'sim::invalid-utf8': [expect.any(String)], 'sim::redirect': ['bad_response'], 'sim::bad-request': [expect.stringMatching(/no_call|malformed/)],
    'sim::malformed-json': ['malformed_arguments'], 'sim::double-encoded': ['none passed'], 'sim::json-in-content': ['none passed'], 'sim::json-in-name': ['none passed'],
    'sim::unknown-tool': ['unknown_tool'], 'sim::parallel': ['none passed'], 'sim::text-only': ['no_call'], 'sim::perfect-ish': ['none passed'], 'sim::nobody-knows-me': ['bad_request'],
    'nowhere::m': ['network'], 'refusing::m': ['network'],
  });
  expect(message('sim::wrong-key')).toMatch(/Check the provider's api_key/);
  expect(message('sim::redirect')).toMatch(/redirects to/);
  expect(message('sim::huge')).toMatch(/larger than 16 MiB/);
  expect(message('sim::hangs')).toMatch(/No answer within 1 s/);
  expect(message('nowhere::m')).toMatch(/could not be resolved/);
  expect(message('refusing::m')).toMatch(/refuses connections/);
  // Errored items are in no mean, and are counted beside it.
  expect(run.summaries.find((summary: any) => summary.target === 'sim::hangs')).toMatchObject({ scored: 0, errored: 2, overall: null });
  const warnings = (await sql.query(`SELECT data::json ->> 'message' AS text FROM job_event WHERE name = 'eval_warning'`)).rows.map((row) => row.text);
  expect(warnings).toEqual(['sim::text-only does not support "temperature"; it was left out.']);
}, 150_000);

it('a key is found in no log, answer, event, result, exchange or export', async () => {
  const runs = (await client.get('/api/tool-eval/history')).body.items;
  const seen: string[] = [...processes.map((process) => process.logs()), JSON.stringify(await client.get('/api/providers'))];
  for (const run of runs) {
    for (const format of ['json', 'jsonl', 'csv', 'junit']) seen.push(JSON.stringify((await client.get(`/api/tool-eval/history/${run.id}/export?format=${format}`)).body));
    for (const result of (await client.get(`/api/tool-eval/history/${run.id}/results?limit=200`)).body.items) {
      seen.push(JSON.stringify((await client.get(`/api/tool-eval/history/${run.id}/results/${result.id}`)).body));
    }
  }
  for (const table of ['job', 'job_event', 'run', 'target', 'result', 'provider', 'idempotency_key', 'audit']) seen.push(JSON.stringify((await sql.query(`SELECT * FROM ${table}`)).rows));
  expect(seen.join('\n').length).toBeGreaterThan(10_000);
  expect(seen.join('\n')).not.toContain(PLANTED_KEY);
  expect(seen.join('\n')).not.toContain('planted-0123456789');
}, 60_000);
