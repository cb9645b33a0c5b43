import { startApi, type ApiInProcess } from '../../test/api.js';
import { weatherSuite, type Client } from '../../test/client.js';
import { ADMIN_TOKEN } from '../../test/processes.js';

let api: ApiInProcess;
let client: Client;

beforeAll(async () => {
  api = await startApi();
  client = api.client;
  await client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', api_key: 'sk-secret-0123456789', models: [{ id: 'a' }, { id: 'b:8b' }] });
}, 60_000);
afterAll(() => api.close());

const importSuite = async (file: object = weatherSuite(2)): Promise<string> => (await client.post('/api/tool-eval/import', file)).body.suite_id;
const submit = (suiteId: string, more: object = {}) => client.post('/api/tool-eval', { suite_id: suiteId, models: ['sim::a'], ...more });

describe('suites', () => {
  const file = {
    name: 'Numbers', description: 'd', system_prompt: 'Be exact.', pass_threshold: 0.5,
    tools: [{ type: 'function', function: { name: 'f', description: 'f', parameters: { type: 'object', properties: { n: { type: 'number', default: 1.5 } } } } }],
    test_cases: [{ name: 'one', category: 'c', tags: ['t'], prompt: 'p', expected_tool: ['f'], expected_params: { n: 1 }, scoring_config: { mode: 'numeric_tolerance', epsilon: 0.1 } }, { messages: [{ role: 'user', content: 'hi' }], expected_tool: null }],
  };

  it('come back from an export as they went in, numbers to the letter', async () => {
    const text = JSON.stringify(file).replace('"n":1}', '"n":5.0,"big":12345678901234567890}').replace('1.5', '1.50');
    const { body } = await client.post('/api/tool-eval/import', text);
    const exported = await fetch(`${api.url}/api/tool-suites/${body.suite_id}/export`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }).then((answer) => answer.text());
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

  it('changed by many at once lose no change: each takes the next version and position', async () => {
    const id = await importSuite(weatherSuite(0));
    const added = await Promise.all(Array.from({ length: 12 }, (_, n) => client.post(`/api/tool-suites/${id}/cases`, { prompt: `p${n}`, expected_tool: 'get_weather' })));
    expect(added.map(({ body }) => body.position).sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n));
    expect((await client.get(`/api/tool-suites/${id}`)).body).toMatchObject({ version: 13, test_cases_count: 12 });
    const pages = [await client.get(`/api/tool-suites/${id}/cases?limit=7`)];
    pages.push(await client.get(`/api/tool-suites/${id}/cases?limit=7&cursor=${pages[0]!.body.next_cursor}`));
    expect(pages.flatMap(({ body }) => body.items.map((item: any) => item.position))).toEqual(Array.from({ length: 12 }, (_, n) => n));
    expect(pages[1]!.body.next_cursor).toBeNull();
  });

  it('take ten thousand cases in one import, and not one more', async () => {
    const { body } = await client.post('/api/tool-eval/import', weatherSuite(10_000));
    expect(body.test_cases_created).toBe(10_000);
    expect((await submit(body.suite_id, { samples: 100 })).status).toBe(202);
    expect(await client.post('/api/tool-eval/import', weatherSuite(10_001))).toMatchObject({ status: 400, body: { errors: [{ path: '/test_cases' }] } });
  });
});
