import { createLogger } from '#lib/runtime/logger';
import { readEnv } from '#lib/runtime/env';
import { bootstrapTeam } from '#lib/db/teams';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import 'reflect-metadata';
import { clientOf, weatherSuite, type Client } from '../../test/client.js';
import { ADMIN_TOKEN, SEALING_KEY } from '../../test/processes.js';
import { createDatabase, createRedis } from '../../test/services.js';
import { createApp } from './create-app.js';
import { Deps } from './deps.js';

let app: NestFastifyApplication;
let deps: Deps;
let url: string;
let client: Client;
let sim: { status: number; body: any };

beforeAll(async () => {
  const [database, redis] = [await createDatabase(), await createRedis()];
  const env = readEnv({ DATABASE_URL: database.url, REDIS_URL: redis.url, TOOLMARK_SEALING_KEY: SEALING_KEY, TOOLMARK_ADMIN_TOKEN: ADMIN_TOKEN, TOOLMARK_ALLOW_PRIVATE_NETWORKS: 'true' });
  deps = new Deps(env, createLogger('api', 'silent'));
  await bootstrapTeam(deps.pool, ADMIN_TOKEN);
  app = await createApp(deps);
  await app.listen(0, '127.0.0.1');
  url = (await app.getUrl()).replace('[::1]', '127.0.0.1');
  client = clientOf(url);
  sim = await client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', api_key: 'sk-secret-0123456789', models: [{ id: 'a' }, { id: 'b:8b', input_cost_per_mtok: 1 }] });
}, 60_000);
afterAll(() => app.close());

const importSuite = async (file: object = weatherSuite(2)): Promise<string> => (await client.post('/api/tool-eval/import', file)).body.suite_id;
const submit = (suiteId: string, more: object = {}) => client.post('/api/tool-eval', { suite_id: suiteId, models: ['sim::a'], ...more });

describe('bad input is refused with its field, its rule and the way out', () => {
  const tool = (name: string, parameters: object = { type: 'object' }) => ({ type: 'function', function: { name, parameters } });
  it.each([
    ['malformed JSON', () => client.post('/api/tool-suites', '{"name": '), 400, undefined, /not JSON/],
    ['a missing field', () => client.post('/api/tool-suites', { name: 'x' }), 400, '/tools', /./],
    ['a field of another type', () => client.post('/api/tool-suites', { name: 5, tools: [tool('f')] }), 400, '/name', /string/],
    ['a field nobody knows', () => client.post('/api/tool-suites', { name: 'x', tools: [tool('f')], colour: 1 }), 400, '/colour', /no field/],
    ['a tool name with a blank', () => client.post('/api/tool-suites', { name: 'x', tools: [tool('get weather')] }), 400, '/tools/0/function/name', /1 to 64/],
    ['a schema that is no JSON Schema', () => client.post('/api/tool-suites', { name: 'x', tools: [tool('f', { type: 'object', properties: { a: { type: 'strnig' } } })] }), 422, '/tools/0/function/parameters', /JSON Schema/],
    ['two tools of one name', () => client.post('/api/tool-suites', { name: 'x', tools: [tool('f'), tool('F')] }), 422, '/tools/1/function/name', /own/],
    ['an expected tool that is not there', () => client.post('/api/tool-eval/import', { ...weatherSuite(1), test_cases: [{ prompt: 'p', expected_tool: 'weather' }] }), 422, '/test_cases/0/expected_tool', /Its tools: get_weather/],
    ['a pattern that does not compile', () => client.post('/api/tool-eval/import', { ...weatherSuite(1), test_cases: [{ prompt: 'p', expected_tool: 'get_weather', param_scoring: 'regex', expected_params: { city: '(' } }] }), 422, '/test_cases/0/expected_params/city', /RE2/],
    ['an unknown suite', () => submit('01a1fc11-0570-72f9-b84b-b15294fa812e'), 422, '/suite_id', /exist/],
    ['an unknown model', async () => submit(await importSuite(), { models: ['sim::gpt-x'] }), 422, '/models/0', /Its models: a, b:8b/],
    ['an unknown bare model', async () => submit(await importSuite(), { models: ['gpt-x'] }), 422, '/models/0', /Providers: sim/],
    ['a budget, which is not built yet', async () => submit(await importSuite(), { budget: { max_requests: 5 } }), 422, '/budget', /not built/],
    ['a filter that leaves nothing', async () => submit(await importSuite(), { case_filter: { tags: ['none'] } }), 422, '/case_filter', /no case/],
    ['a limit out of range', () => client.get('/api/tool-suites?limit=201'), 400, '/limit', /200/],
    ['a base URL with another scheme', () => client.post('/api/providers', { key: 'x', base_url: 'file:///etc/passwd' }), 400, '/base_url', /https/],
  ])('%s', async (_what, request, status, path, message) => {
    const answer = await request();
    expect(answer.headers.get('content-type')).toMatch(/application\/problem\+json/);
    expect(answer).toMatchObject({ status, body: { status, title: expect.any(String) } });
    if (path === undefined) expect(answer.body.detail).toMatch(message);
    else expect(answer.body.errors).toContainEqual({ path, message: expect.stringMatching(message) });
  });

  it('a body over 10 MiB', async () => {
    const answer = await client.post('/api/tool-suites', JSON.stringify({ name: 'x'.repeat(11 * 2 ** 20) })).catch(() => ({ status: 413, body: { detail: '10 MiB' } }));
    expect(answer).toMatchObject({ status: 413, body: { detail: expect.stringMatching(/10 MiB/) } });
  });

  it('and an unknown route', async () => {
    expect(await client.get('/api/nothing')).toMatchObject({ status: 404, body: { title: 'Not Found' } });
  });
});

describe('suites', () => {
  const file = {
    name: 'Numbers', description: 'd', system_prompt: 'Be exact.', pass_threshold: 0.5,
    tools: [{ type: 'function', function: { name: 'f', description: 'f', parameters: { type: 'object', properties: { n: { type: 'number', default: 1.5 } } } } }],
    test_cases: [{ name: 'one', category: 'c', tags: ['t'], prompt: 'p', expected_tool: ['f'], expected_params: { n: 1 }, scoring_config: { mode: 'numeric_tolerance', epsilon: 0.1 } }, { messages: [{ role: 'user', content: 'hi' }], expected_tool: null }],
  };

  it('come back from an export as they went in, numbers to the letter', async () => {
    const text = JSON.stringify(file).replace('"n":1}', '"n":5.0,"big":12345678901234567890}').replace('1.5', '1.50');
    const { body } = await client.post('/api/tool-eval/import', text);
    const exported = await fetch(`${url}/api/tool-suites/${body.suite_id}/export`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }).then((answer) => answer.text());
    const sorted = (json: string): string => JSON.stringify(Object.entries(JSON.parse(json)).sort());
    expect(exported).toContain('"expected_params":{"n":5.0,"big":12345678901234567890}');
    expect(exported).toContain('"default":1.50');
    expect(sorted(exported)).toBe(sorted(text));
    const again = await client.post('/api/tool-eval/import', exported);
    expect(again.body.test_cases_created).toBe(2);
  });

  it('get a new version with every change, keep their cases valid, and are pinned by runs', async () => {
    const id = await importSuite();
    const run = await submit(id);
    expect((await client.patch(`/api/tool-suites/${id}`, { system_prompt: 'Now different.' })).body.version).toBe(2);
    const broken = await client.patch(`/api/tool-suites/${id}`, { tools: [{ type: 'function', function: { name: 'other' } }] });
    expect(broken).toMatchObject({ status: 422, body: { errors: [{ message: expect.stringMatching(/case 0.*would not fit/i) }, expect.anything()] } });
    const added = await client.post(`/api/tool-suites/${id}/cases`, { prompt: 'p', expected_tool: 'get_weather' });
    expect(added).toMatchObject({ status: 201, body: { position: 2 } });
    const nothing = await client.post(`/api/tool-suites/${id}/cases`, [{ prompt: 'p', expected_tool: 'get_weather' }, { prompt: 'p', expected_tool: 'x' }]);
    expect(nothing).toMatchObject({ status: 422, body: { errors: [{ path: '/1/expected_tool' }] } });
    expect((await client.delete(`/api/tool-suites/${id}/cases/${added.body.id}`)).status).toBe(204);
    expect((await client.get(`/api/tool-suites/${id}`)).body).toMatchObject({ version: 4, test_cases_count: 2 });
    expect((await client.delete(`/api/tool-suites/${id}`)).status).toBe(409);
    expect((await client.get(`/api/tool-eval/history/${run.body.eval_id}`)).body.suite.version).toBe(1);
    expect((await client.delete(`/api/tool-eval/history/${run.body.eval_id}`)).status).toBe(409);
    await client.post('/api/tool-eval/cancel', { job_id: run.body.job_id });
    expect((await client.delete(`/api/tool-suites/${id}`)).status).toBe(204);
    expect((await client.get(`/api/tool-eval/history/${run.body.eval_id}`)).body.suite.name).toBe('Weather');
    expect((await client.delete(`/api/tool-eval/history/${run.body.eval_id}`)).status).toBe(204);
  });

  it('are listed newest first, page by page', async () => {
    for (let i = 0; i < 3; i++) await importSuite();
    const first = await client.get('/api/tool-suites?limit=2');
    const second = await client.get(`/api/tool-suites?limit=2&cursor=${first.body.next_cursor}`);
    const ids = [...first.body.items, ...second.body.items].map((suite: any) => suite.id);
    expect(ids).toEqual([...ids].sort().reverse());
    expect(new Set(ids).size).toBe(4);
  });
});

describe('providers', () => {
  it('never give their key back', async () => {
    expect(sim).toMatchObject({ status: 201, body: { api_key_set: true, api_key_last4: '6789' } });
    const everything = JSON.stringify([await client.get('/api/providers'), await client.get('/api/providers/sim'), (await deps.pool.query('SELECT * FROM provider')).rows]);
    expect(everything).not.toContain('sk-secret');
  });

  it('share a lane when they share a key at an origin, under the stricter limits; a model with limits has its own', async () => {
    const make = (key: string, limits: object, models: object[] = []) => client.post('/api/providers', { key, base_url: 'http://127.0.0.1:10/v1', api_key: 'sk-shared', limits, models });
    await make('one', { max_concurrency: 10, requests_per_minute: 60 });
    await make('two', { max_concurrency: 5 }, [{ id: 'm', limits: { max_concurrency: 1 } }]);
    const { rows } = await deps.pool.query(`SELECT name, max_concurrency, requests_per_minute FROM lane WHERE name IN ('one', 'two', 'two::m') ORDER BY name`);
    expect(rows).toEqual([{ name: 'one', max_concurrency: 5, requests_per_minute: 60 }, { name: 'two::m', max_concurrency: 1, requests_per_minute: null }]);
    await client.delete('/api/providers/two');
    expect((await deps.pool.query(`SELECT max_concurrency FROM lane WHERE name = 'one'`)).rows).toEqual([{ max_concurrency: 10 }]);
    expect((await client.get('/api/providers/two')).status).toBe(404);
  });

  it('can be tested, and a test that fails says why', async () => {
    expect(await client.post('/api/providers/sim/test')).toMatchObject({ status: 200, body: { ok: false, error: expect.stringMatching(/refuses connections/) } });
  });
});

describe('an Idempotency-Key', () => {
  it('gives the same answer again, refuses another body, and hides a secret', async () => {
    const suite = await importSuite();
    const body = { suite_id: suite, models: ['sim::a'] };
    const answers = await Promise.all([1, 2, 3].map(() => client.post('/api/tool-eval', body, { 'idempotency-key': 'k1' })));
    expect(new Set(answers.map((answer) => answer.body.eval_id)).size).toBe(1);
    expect(answers.map((answer) => answer.status)).toEqual([202, 202, 202]);
    expect((await client.post('/api/tool-eval', { ...body, samples: 2 }, { 'idempotency-key': 'k1' })).status).toBe(409);
    const token = () => client.post('/api/tokens', { name: 't', role: 'viewer' }, { 'idempotency-key': 'k2' });
    const [first, second] = [await token(), await token()];
    expect(first.body.token).toMatch(/^tm_/);
    expect(second.body).toEqual({ ...first.body, token: undefined });
  });
});

describe('roles and teams', () => {
  it('let viewers read, editors change, and owners hold the keys', async () => {
    const as = async (role: string) => clientOf(url, (await client.post('/api/tokens', { name: role, role, user: 'grace' })).body.token);
    const [viewer, editor] = [await as('viewer'), await as('editor')];
    expect((await viewer.get('/api/tool-suites')).status).toBe(200);
    expect((await viewer.post('/api/tool-eval/import', weatherSuite(1))).status).toBe(403);
    expect((await editor.post('/api/tool-eval/import', weatherSuite(1))).status).toBe(201);
    expect((await editor.post('/api/tokens', { name: 'x', role: 'owner' })).status).toBe(403);
    expect((await editor.delete('/api/providers/sim')).status).toBe(403);
    expect((await clientOf(url, 'nobody').get('/api/me')).status).toBe(401);
  });

  it('never show a team what another one has, on any route of the OpenAPI document', async () => {
    const suiteId = await importSuite();
    const run = (await submit(suiteId)).body;
    const caseId = (await client.get(`/api/tool-suites/${suiteId}`)).body.test_cases[0].id;
    const experiment = (await client.post('/api/experiments', { name: 'e', suite_id: suiteId })).body;
    const token = (await client.post('/api/tokens', { name: 'mine', role: 'viewer' })).body;
    const other = clientOf(url, (await client.post('/api/teams', { name: 'others' })).body.token.token);
    const ids: Record<string, string> = { key: 'sim', caseId, resultId: '0-0-0', id: '' };
    const idFor = (path: string): string =>
      path.includes('/tool-suites/') ? suiteId : path.includes('/jobs/') ? run.job_id : path.includes('/experiments/') ? experiment.id : path.includes('/tokens/') ? token.id : run.eval_id;
    const document = (await client.get('/openapi.json')).body;
    const bodies: Record<string, unknown> = {
      'POST /api/tool-eval': { suite_id: suiteId, models: ['sim::a'] }, 'POST /api/tool-eval/cancel': { job_id: run.job_id },
      'POST /api/experiments': { name: 'x', suite_id: suiteId }, 'PATCH /api/tool-suites/{id}': { name: 'stolen' }, 'PATCH /api/providers/{key}': { name: 'stolen' },
      'PUT /api/tool-suites/{id}': weatherSuite(0), 'POST /api/tool-suites/{id}/cases': { prompt: 'p', expected_tool: 'get_weather' },
      'PUT /api/tool-suites/{id}/cases/{caseId}': { prompt: 'p', expected_tool: 'get_weather' },
    };
    delete (bodies['PUT /api/tool-suites/{id}'] as any).test_cases;
    let walked = 0;
    for (const [path, methods] of Object.entries<Record<string, unknown>>(document.paths)) {
      for (const method of Object.keys(methods).map((name) => name.toUpperCase())) {
        const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => ids[name] || idFor(path));
        const answer = await other.send(method, filled, bodies[`${method} ${path}`] ?? (method === 'GET' || method === 'DELETE' ? undefined : {}));
        const names = path.includes('{') || bodies[`${method} ${path}`] !== undefined;
        if (names) expect([404, 422]).toContain(answer.status);
        expect(JSON.stringify(answer.body)).not.toMatch(new RegExp(['"id":"' + suiteId, '"id":"' + run.eval_id, '"id":"' + run.job_id, '"id":"' + experiment.id, '"id":"' + token.id, 'sk-secret'].join('|')));
        walked++;
      }
    }
    expect(walked).toBeGreaterThan(35);
    expect((await client.get(`/api/tool-suites/${suiteId}`)).body).toMatchObject({ name: 'Weather', version: 1 });
    expect((await client.get(`/api/jobs/${run.job_id}`)).body.status).not.toBe('cancelled');
  });
});

it('answers whether it lives and what it stands on without a token', async () => {
  expect(await client.get('/readyz')).toMatchObject({ status: 200, body: { postgres: 'up', redis: 'up' } });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect((await fetch(`${url}/docs`)).status).toBe(200);
  expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/process_cpu/);
});
