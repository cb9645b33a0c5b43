import pg from 'pg';
import { parseJson } from '#lib/contracts/json';
import { clientOf, type Client } from './client.js';
import { ADMIN_TOKEN, startProcess, until, type RunningProcess } from './processes.js';
import { createDatabase, createRedis } from './services.js';

const BASE_URLS = { openai: '/v1', 'openai-responses': '/v1', anthropic: '/anthropic', google: '/google/v1beta' };
const KINDS = Object.keys(BASE_URLS) as (keyof typeof BASE_URLS)[];
const MODELS = ['perfect-ish', 'careless-arguments', 'wrong-tool', 'text-only', 'unknown-tool', 'parallel', 'json-in-content', 'content-filter', 'no-required', 'flaky-30', 'overloaded', 'wrong-key', 'html-error', 'nobody-knows-me'];
const SCRIPTED = 'scripted:chain';

let client: Client;
let apiUrl: string;
let sql: pg.Pool;
let simulator: RunningProcess;
beforeAll(async () => {
  const [database, redis] = [await createDatabase(), await createRedis()];
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  sql = new pg.Pool({ connectionString: database.url, max: 1 });
  sql.on('error', () => {});
  simulator = await startProcess('simulator');
  const api = await startProcess('api', env);
  await startProcess('worker', { ...env, LOG_LEVEL: 'warn' });
  client = clientOf((apiUrl = api.url));
  for (const kind of KINDS) {
    const models = [...MODELS, `${SCRIPTED}-${kind}`].map((id) => ({ id, input_cost_per_mtok: 1, output_cost_per_mtok: 1 }));
    const made = await client.post('/api/providers', { key: kind, kind, base_url: simulator.url + BASE_URLS[kind], api_key: 'sk-any-key-0123456789', limits: { max_concurrency: 20 }, models });
    expect(made).toMatchObject({ status: 201, body: { kind } });
  }
});

afterAll(() => sql.end());

const tool = (name: string, description: string, properties: object, required: string[]) => ({ type: 'function', function: { name, description, parameters: { type: 'object', properties, required } } });
const suite = {
  name: 'All formats', system_prompt: 'Use the tools.',
  tools: [
    tool('get_weather', 'Get current weather for a city', { city: { type: 'string' }, units: { type: 'string', enum: ['celsius', 'fahrenheit'] } }, ['city']),
    tool('send_email', 'Send an e-mail', { to: { type: 'string' }, subject: { type: 'string' } }, ['to']),
    tool('set_timer', 'Set a timer', { minutes: { type: 'number', default: 5 } }, ['minutes']),
  ],
  test_cases: [
    { name: 'weather', prompt: 'What is the weather in Paris in celsius?', expected_tool: 'get_weather', expected_params: { city: 'Paris', units: 'celsius' } },
    { name: 'mail', prompt: 'Send an e-mail to ann@example.com', expected_tool: 'send_email', expected_params: { to: 'ann@example.com' } },
    { name: 'timer', prompt: 'Set a timer for 12 minutes', expected_tool: 'set_timer', expected_params: { minutes: 12 } },
    { name: 'nothing', prompt: 'Thank you, that was all.', expected_tool: null },
  ],
};

async function finished(suiteId: string, models: string[], more: object = {}): Promise<{ run: any; results: any[]; jobId: string }> {
  const { body } = await client.post('/api/tool-eval', { suite_id: suiteId, models, model_order: 'parallel', ...more });
  const run = await until(async () => { const now = (await client.get(`/api/tool-eval/history/${body.eval_id}`)).body; return now.status === 'completed' && now; }, { timeoutMs: 100_000, what: 'the run to complete' });
  const results: any[] = [];
  for (let cursor = ''; ; ) {
    const { body: page } = await client.get(`/api/tool-eval/history/${body.eval_id}/results?limit=200${cursor}`);
    results.push(...page.items);
    if (!page.next_cursor) return { run, jobId: body.job_id, results };
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}

it('the same models get the same verdicts in every format', async () => {
  const { body: { suite_id } } = await client.post('/api/tool-eval/import', suite);
  const { run, results, jobId } = await finished(suite_id, KINDS.flatMap((kind) => MODELS.map((model) => `${kind}::${model}`)));
  const verdicts = (kind: string) =>
    results.filter((result) => result.target.startsWith(`${kind}::`))
      .map((result) => ({
        what: `${result.target.split('::')[1]} ${result.case_name}`, outcome: result.outcome, passed: result.passed, overall: result.overall,
        error: result.error_type ?? result.error?.kind, called: result.called, format: result.format_compliance, choice: result.tool_choice_used,
      }))
      .sort((a, b) => a.what.localeCompare(b.what));
  const wanted = verdicts('openai');
  expect(wanted).toHaveLength(MODELS.length * suite.test_cases.length);
  expect(new Set(wanted.map(({ outcome }) => outcome))).toEqual(new Set(['scored', 'errored']));
  expect(wanted.filter(({ passed }) => passed).length).toBeGreaterThan(10);
  for (const kind of KINDS.slice(1)) expect({ kind, verdicts: verdicts(kind) }).toEqual({ kind, verdicts: wanted });
  for (const kind of KINDS) {
    expect(run.summaries.find((summary: any) => summary.target === `${kind}::perfect-ish`)).toMatchObject({ errored: 0, overall: 1, usage: { prompt_tokens: expect.any(Number) } });
  }
  // What a format cannot say is told once per run and model.
  const { rows } = await sql.query<{ code: string }>(`SELECT data::json ->> 'code' AS code FROM job_event WHERE job_id = $1 AND name = 'eval_warning'`, [jobId]);
  const warnings = rows.map(({ code }) => code);
  expect(new Set(warnings).size).toBe(warnings.length);
  expect(warnings).toContain('anthropic:anthropic::perfect-ish:temperature');
  expect(warnings.filter((code: string) => /^(google|openai)/.test(code))).toEqual([]);
}, 120_000);

it('the same conversation is played in every format, and its numbers keep their text', async () => {
  const call = (name: string, args: string) => ({ id: `made_${name}`, type: 'function', function: { name, arguments: args } });
  const replies = [
    { role: 'assistant', content: 'I will look.', tool_calls: [call('find_user', '{"name":"Ann"}'), call('get_rate', '{"percent":2.50}')] },
    { role: 'assistant', content: null, tool_calls: [call('refund', '{"order":12345678901234567890,"amount":5.0}')] },
  ];
  const { body: { suite_id } } = await client.post('/api/tool-eval/import', {
    name: 'A chain', tools: ['find_user', 'get_rate', 'refund'].map((name) => tool(name, name, {}, [])),
    test_cases: [{
      name: 'chain', multi_turn: true, expected_tool: 'refund', optimal_hops: 3, valid_prerequisites: ['find_user', 'get_rate'], mock_responses: { find_user: { id: 'u-1' }, get_rate: 'unknown' },
      messages: [{ role: 'user', content: 'Hello.' }, { role: 'assistant', content: 'What can I do?' }, { role: 'user', content: 'Refund the last order of Ann.' }],
    }],
  });
  for (const kind of KINDS) {
    await fetch(`${simulator.url}/control/scripted/chain-${kind}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ replies }) });
  }
  const { results, run } = await finished(suite_id, KINDS.map((kind) => `${kind}::${SCRIPTED}-${kind}`));
  expect(results.map((result) => [result.target, result.outcome, result.passed, result.attempts])).toEqual(results.map((result) => [result.target, 'scored', true, 2]));
  expect(results).toHaveLength(KINDS.length);
  for (const result of results) {
    const answer = await fetch(`${apiUrl}/api/tool-eval/history/${run.id}/results/${result.id}`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
    const whole = parseJson(await answer.text()) as any;
    expect(JSON.stringify(whole.called)).toMatch(/"percent":2\.50.*"order":12345678901234567890,"amount":5\.0/);
    // What went back to the model: its calls, and what they brought, in that order.
    const [, second] = whole.exchange.requests;
    expect(second.messages.slice(-3).map((message: any) => message.role)).toEqual(['assistant', 'tool', 'tool']);
  }
}, 60_000);

it('a provider that is told to speak another format is asked in it', async () => {
  const { body: { suite_id } } = await client.post('/api/tool-eval/import', suite);
  await client.post('/api/providers', { key: 'turned', kind: 'google', base_url: simulator.url + BASE_URLS.anthropic, models: [{ id: 'perfect-ish' }] });
  expect((await client.post('/api/providers/turned/test')).body).toMatchObject({ ok: false });
  expect(await client.patch('/api/providers/turned', { kind: 'anthropic' })).toMatchObject({ status: 200, body: { kind: 'anthropic' } });
  expect((await client.post('/api/providers/turned/test')).body).toMatchObject({ ok: true });
  const { results } = await finished(suite_id, ['turned::perfect-ish']);
  expect(results.map(({ outcome, passed }) => [outcome, passed])).toEqual(suite.test_cases.map(() => ['scored', true]));
}, 60_000);

describe.each(KINDS)('a provider of kind %s', (kind) => {
  it('can be tested, and lists its models', async () => {
    expect(await client.post(`/api/providers/${kind}/test`)).toMatchObject({ status: 200, body: { ok: true, error: null } });
    expect((await client.get(`/api/providers/${kind}/discover`)).body.models).toEqual(expect.arrayContaining([{ id: 'perfect-ish' }, { id: 'scripted' }]));
    await client.patch(`/api/providers/${kind}`, { api_key: 'wrong' });
    expect((await client.post(`/api/providers/${kind}/test`)).body).toMatchObject({ ok: false, error: expect.stringMatching(/refused the key \(401\)/) });
    expect((await client.get(`/api/providers/${kind}/discover`)).body.detail).toMatch(/refused the key/);
  });
});
