import { insertRow } from '#lib/db/connection/insert-row';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, weatherSuite, type Client } from '../../../test/client.js';

let api: SharedApi;
let client: Client;
let theirs: Client;

beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
  await client.post('/api/providers', {
    key: 'sim',
    base_url: 'http://127.0.0.1:9/v1',
    models: [{ id: 'a' }, { id: 'b' }],
  });
  theirs = clientOf(api.url, (await api.anotherTeam()).body.token.token);
}, 60_000);

const importSuite = async (cases: number): Promise<string> =>
  (await client.post('/api/tool-eval/import', weatherSuite(cases))).body.suite_id;
const casesOf = async (id: string): Promise<any[]> => (await client.get(`/api/tool-suites/${id}`)).body.test_cases;
/** A run of the suite that was cancelled before it did anything. */
async function pin(suiteId: string, more: object = {}): Promise<string> {
  const { body } = await client.post('/api/tool-eval', { suite_id: suiteId, models: ['sim::a', 'sim::b'], ...more });
  await client.post('/api/tool-eval/cancel', { job_id: body.job_id });
  return body.eval_id;
}
const settle = (runId: string, target: number, position: number, more: object = {}): Promise<void> =>
  insertRow(api.pool, 'result', {
    run_id: runId,
    target,
    case_position: position,
    sample: 0,
    generation: 1,
    seq: target * 100 + position + 1,
    outcome: 'scored',
    passed: true,
    overall: 1,
    error_type: 'none',
    abstention: false,
    called: '[]',
    evidence: '{"pairs":[],"missing":[],"unexpected":[]}',
    scoring_version: 3,
    attempts: 1,
    ...more,
  });

describe('the versions of a suite', () => {
  it('are those that runs pinned and the current one, with their settings and cases', async () => {
    const id = await importSuite(2);
    const [first, second] = await casesOf(id);
    await pin(id);
    await pin(id);
    await client.put(`/api/tool-suites/${id}/cases/${first.id}`, { prompt: 'Now this', expected_tool: 'get_weather' });
    await client.patch(`/api/tool-suites/${id}`, { name: 'Renamed', system_prompt: 'Be brief.' });
    await client.delete(`/api/tool-suites/${id}/cases/${second.id}`);
    const { body } = await client.get(`/api/tool-suites/${id}/versions`);
    expect(body).toEqual({
      items: [
        { version: 4, pinned_at: null, runs: 0, is_current: true },
        { version: 1, pinned_at: expect.stringMatching(/^20/), runs: 2, is_current: false },
      ],
      next_cursor: null,
    });
    const page = await client.get(`/api/tool-suites/${id}/versions?limit=1`);
    expect(page.body.next_cursor).toBe('4');
    expect((await client.get(`/api/tool-suites/${id}/versions?limit=1&cursor=4`)).body).toEqual({
      items: [body.items[1]],
      next_cursor: null,
    });
    expect((await client.get(`/api/tool-suites/${id}/versions/1`)).body).toMatchObject({
      version: 1,
      name: 'Weather',
      system_prompt: null,
      test_cases_count: 2,
      tools: [{ function: { name: 'get_weather' } }],
    });
    expect((await client.get(`/api/tool-suites/${id}/versions/4`)).body).toMatchObject({
      name: 'Renamed',
      system_prompt: 'Be brief.',
      test_cases_count: 1,
    });
    expect((await client.get(`/api/tool-suites/${id}/versions/1/cases/${first.id}`)).body).toEqual(first);
    expect((await client.get(`/api/tool-suites/${id}/versions/4/cases/${first.id}`)).body).toMatchObject({
      prompt: 'Now this',
    });
    expect((await client.get(`/api/tool-suites/${id}/versions/4/cases/${second.id}`)).status).toBe(404);
    expect(await client.get(`/api/tool-suites/${id}/versions/2`)).toMatchObject({
      status: 404,
      body: { code: 'version_gone', params: { version: 2 } },
    });
    expect((await client.get(`/api/tool-suites/${id}/versions/latest`)).status).toBe(404);
    await pin(id);
    expect((await client.get(`/api/tool-suites/${id}/versions`)).body.items[0]).toMatchObject({ version: 4, runs: 1 });
  });

  it('are compared by settings, tools and cases, with exact numbers', async () => {
    const id = await importSuite(4);
    const [kept, numbers, renamed, gone] = await casesOf(id);
    await client.put(
      `/api/tool-suites/${id}/cases/${numbers.id}`,
      '{"prompt": "p", "expected_tool": "get_weather", "expected_params": {"city": 5}}',
    );
    await pin(id);
    await client.put(`/api/tool-suites/${id}/cases/${numbers.id}`, EXACT);
    const { id: _id, position: _position, ...input } = renamed;
    await client.put(`/api/tool-suites/${id}/cases/${renamed.id}`, { ...input, name: 'New name', tags: ['t'] });
    await client.delete(`/api/tool-suites/${id}/cases/${gone.id}`);
    const { body: added } = await client.post(`/api/tool-suites/${id}/cases`, {
      messages: [{ role: 'user', content: 'hi' }],
      expected_tool: null,
    });
    const clock = { type: 'function', function: { name: 'get_time', description: 'Tells the time' } };
    const { tools } = weatherSuite(0);
    await client.patch(`/api/tool-suites/${id}`, { pass_threshold: 0.5, tools: [...tools, clock] });
    const { body } = await client.get(`/api/tool-suites/${id}/versions/2/changes`);
    const item = { name: null, fields: [] };
    const expected = {
      from: 2,
      to: 7,
      settings: [{ path: '/pass_threshold', a: 1, b: 0.5 }],
      tools: { added: ['get_time'], removed: [], changed: [] },
      cases: {
        added: 1,
        removed: 1,
        changed: 2,
        items: [
          { ...item, kind: 'added', case_id: added.id, prompt: null },
          { ...item, kind: 'changed', case_id: numbers.id, prompt: 'p', fields: ['expected_params'] },
          { kind: 'changed', case_id: renamed.id, name: 'New name', prompt: renamed.prompt, fields: ['name', 'tags'] },
          { ...item, kind: 'removed', case_id: gone.id, name: 'case 3', prompt: gone.prompt },
        ],
      },
    };
    expect(body).toEqual(expected);
    expect(JSON.stringify(body)).not.toContain(kept.id);
    await pin(id);
    expect((await client.get(`/api/tool-suites/${id}/versions/2/changes?to=7`)).body).toEqual(expected);
    expect((await client.get(`/api/tool-suites/${id}/versions/7/changes?to=2`)).body).toMatchObject({
      tools: { removed: ['get_time'] },
      cases: { added: 1, removed: 1, changed: 2 },
    });
    expect((await client.get(`/api/tool-suites/${id}/versions/7/changes?to=7`)).body).toMatchObject({
      settings: [],
      cases: { added: 0, removed: 0, changed: 0, items: [] },
    });
    expect((await client.get(`/api/tool-suites/${id}/versions/7/changes?to=3`)).status).toBe(404);
    expect((await client.get(`/api/tool-suites/${id}/versions/7/changes?to=no`)).body.errors[0].path).toBe('/to');
  });

  const EXACT = '{"prompt": "p", "expected_tool": "get_weather", "expected_params": {"city": 5.0}}';

  it('are compared however many cases differ: all are counted, and two hundred are listed', async () => {
    const id = await importSuite(450);
    await pin(id);
    await api.pool.query('DELETE FROM suite_case WHERE suite_id = $1', [id]);
    await client.post(`/api/tool-suites/${id}/cases`, { prompt: 'p', expected_tool: 'get_weather' });
    const { cases } = (await client.get(`/api/tool-suites/${id}/versions/1/changes`)).body;
    expect(cases).toMatchObject({ added: 1, removed: 450, changed: 0 });
    expect(cases.items).toHaveLength(200);
  });
});

describe('the results of a case', () => {
  it('come from all runs of the case, newest first, page by page, or of one model', async () => {
    const id = await importSuite(3);
    const [first, second] = await casesOf(id);
    const older = await pin(id);
    await client.delete(`/api/tool-suites/${id}/cases/${first.id}`);
    const newer = await pin(id, { samples: 2 });
    for (const target of [0, 1]) {
      await settle(older, target, 1);
      await settle(newer, target, 0, { passed: false, overall: 0 });
      await settle(newer, target, 0, { sample: 1, seq: 50 + target });
      await settle(newer, target, 1);
    }
    await settle(older, 0, 0);
    const path = `/api/tool-suites/${id}/cases/${second.id}/results`;
    const shown = ({ body }: any) => body.items.map(({ run, result }: any) => [run.id, result.id, result.passed]);
    const all = await client.get(path);
    expect(shown(all)).toEqual([
      [newer, '0-0-0', false],
      [newer, '0-0-1', true],
      [newer, '1-0-0', false],
      [newer, '1-0-1', true],
      [older, '0-1-0', true],
      [older, '1-1-0', true],
    ]);
    expect(all.body.next_cursor).toBeNull();
    expect(all.body.items[0]).toMatchObject({
      run: { suite_version: 2, created_at: expect.any(String) },
      result: { case_id: second.id, case_name: 'case 1', target: 'sim::a', evidence: null, metrics: {} },
    });
    const pages: any[] = [];
    for (let cursor = ''; ;) {
      const page = await client.get(`${path}?limit=2${cursor}`);
      pages.push(...shown(page));
      if (page.body.next_cursor === null) break;
      cursor = `&cursor=${page.body.next_cursor}`;
    }
    expect(pages).toEqual(shown(all));
    expect(shown(await client.get(`${path}?model=sim::b`)).map((row: any) => row[1])).toEqual([
      '1-0-0',
      '1-0-1',
      '1-1-0',
    ]);
    expect(shown(await client.get(`/api/tool-suites/${id}/cases/${first.id}/results`))).toEqual([
      [older, '0-0-0', true],
    ]);
    expect((await client.get(`${path}?cursor=5`)).status).toBe(400);
    const other = await importSuite(1);
    const [stranger] = await casesOf(other);
    expect((await client.get(`/api/tool-suites/${id}/cases/${stranger.id}/results`)).status).toBe(404);
    expect((await client.get(`/api/tool-suites/${other}/cases/${stranger.id}/results`)).body).toEqual({
      items: [],
      next_cursor: null,
    });
  });

  it('of a model are found behind many runs without it', async () => {
    const id = await importSuite(1);
    const [only] = await casesOf(id);
    const oldest = await pin(id);
    for (let n = 0; n < 25; n++) await pin(id, { models: ['sim::a'] });
    await settle(oldest, 1, 0);
    const { body } = await client.get(`/api/tool-suites/${id}/cases/${only.id}/results?model=b`);
    expect(body.items).toMatchObject([{ run: { id: oldest }, result: { target: 'sim::b' } }]);
  });
});

describe('the verdicts on a case', () => {
  it('are counted by run and model in the newest runs, and say what they leave out', async () => {
    const id = await importSuite(2);
    const [first, second] = await casesOf(id);
    const oldest = await pin(id);
    const older = await pin(id, { samples: 3 });
    const newest = await pin(id, { models: ['sim::b'] });
    await settle(oldest, 0, 1);
    await settle(older, 0, 1);
    await settle(older, 0, 1, { sample: 1, seq: 60, passed: false, overall: 0 });
    await settle(older, 0, 1, { sample: 2, seq: 61, passed: false, overall: null, outcome: 'errored' });
    await settle(older, 0, 0);
    const path = `/api/tool-suites/${id}/cases/${second.id}/verdicts`;
    const shown = async (query: string) => {
      const { runs, left_out } = (await client.get(`${path}${query}`)).body;
      return { left_out, runs: runs.map(({ id: run, verdicts }: any) => [run, ...verdicts]) };
    };
    const verdict = { target: 'sim::a', scored: 1, passed: 1, errored: 0, result_id: '0-1-0' };
    const ofOlder = { target: 'sim::a', scored: 2, passed: 1, errored: 1, result_id: '0-1-1' };
    expect(await shown('')).toEqual({ left_out: 0, runs: [[newest], [older, ofOlder], [oldest, verdict]] });
    expect(await shown('?limit=2')).toEqual({ left_out: 1, runs: [[newest], [older, ofOlder]] });
    // The run that is asked for is there, however old it is.
    const asked = await shown(`?limit=2&eval_id=${oldest}`);
    expect(asked).toEqual({ left_out: 1, runs: [[newest], [oldest, verdict]] });
    expect((await client.get(path)).body.runs[0]).toMatchObject({ suite_version: 1, created_at: expect.any(String) });
    await client.delete(`/api/tool-suites/${id}/cases/${first.id}`);
    expect((await client.get(`/api/tool-suites/${id}/cases/${first.id}/verdicts`)).body.runs).toHaveLength(3);
  });
});

it('one case is read alone', async () => {
  const id = await importSuite(2);
  const [, second] = await casesOf(id);
  expect((await client.get(`/api/tool-suites/${id}/cases/${second.id}`)).body).toEqual(second);
  const [other] = await casesOf(await importSuite(1));
  expect((await client.get(`/api/tool-suites/${id}/cases/${other.id}`)).status).toBe(404);
});

it('a lean list of suites has counts and the last run instead of tools', async () => {
  const id = await importSuite(3);
  const none = (await client.get('/api/tool-suites?lean=true&limit=1')).body.items[0];
  expect(none).toMatchObject({ id, name: 'Weather', test_cases_count: 3, tools_count: 1, last_run: null });
  for (const field of ['tools', 'system_prompt']) expect(none).not.toHaveProperty(field);
  await pin(id);
  const last = await pin(id);
  const head = async () => (await client.get('/api/tool-suites?lean=true&limit=1')).body.items[0];
  expect((await head()).last_run).toMatchObject({ id: last, status: 'cancelled', top: null });
  const nothing = { results: 0, prompt_tokens: 0, completion_tokens: 0 };
  const rest = { scored: 3, errored: 1, cost_usd: 0, usage: nothing, cached: nothing, by_category: {} };
  const figures = (target: string, overall: number) =>
    JSON.stringify({ target, overall, overall_ci: [0.5, 1], ...rest });
  for (const [ordinal, overall] of [0.25, 0.75].entries())
    await api.pool.query('UPDATE target SET summary = $3 WHERE run_id = $1 AND ordinal = $2', [
      last,
      ordinal,
      figures(`sim::${'ab'[ordinal]}`, overall),
    ]);
  expect((await head()).last_run.top).toEqual({
    target: 'sim::b',
    overall: 0.75,
    overall_ci: [0.5, 1],
    scored: 3,
    errored: 1,
  });
  const pages = (await client.get('/api/tool-suites?lean=true&limit=1')).body;
  const next = (await client.get(`/api/tool-suites?lean=true&limit=1&cursor=${pages.next_cursor}`)).body;
  expect(next.items[0].id < id).toBe(true);
});

it('another team sees none of it', async () => {
  const id = await importSuite(1);
  const [only] = await casesOf(id);
  await settle(await pin(id), 0, 0);
  for (const path of [
    '/versions',
    '/versions/1',
    '/versions/1/changes',
    `/versions/1/cases/${only.id}`,
    `/cases/${only.id}`,
    `/cases/${only.id}/neighbours`,
    `/cases/${only.id}/results`,
    `/cases/${only.id}/verdicts`,
  ]) {
    expect([path, (await client.get(`/api/tool-suites/${id}${path}`)).status]).toEqual([path, 200]);
    expect([path, (await theirs.get(`/api/tool-suites/${id}${path}`)).status]).toEqual([path, 404]);
  }
  expect((await theirs.get('/api/tool-suites?lean=true')).body.items).toEqual([]);
});

describe('a version of a suite', () => {
  it('is restored as a new one: tools, settings and cases with their ids, but not the name', async () => {
    const id = await importSuite(2);
    const before = await casesOf(id);
    await pin(id);
    await client.put(`/api/tool-suites/${id}/cases/${before[0].id}`, { prompt: 'Other', expected_tool: 'get_weather' });
    await client.delete(`/api/tool-suites/${id}/cases/${before[1].id}`);
    await client.post(`/api/tool-suites/${id}/cases`, { prompt: 'Added', expected_tool: null });
    await client.patch(`/api/tool-suites/${id}`, { name: 'Renamed', system_prompt: 'Be brief.' });
    const restored = await client.post(`/api/tool-suites/${id}/versions/1/restore`, {});
    expect(restored).toMatchObject({
      status: 200,
      body: { name: 'Renamed', system_prompt: null, version: 6, test_cases_count: 2 },
    });
    expect(await casesOf(id)).toEqual(before);
    expect((await client.get(`/api/tool-suites/${id}/versions/1/changes?to=6`)).body).toMatchObject({
      cases: { added: 0, removed: 0, changed: 0 },
    });
  });

  it('is not restored if it is the current one, if no run kept it, or for another team or a viewer', async () => {
    const id = await importSuite(1);
    await client.patch(`/api/tool-suites/${id}`, { name: 'Renamed' });
    const restore = (by: Client, version: number) => by.post(`/api/tool-suites/${id}/versions/${version}/restore`, {});
    expect((await restore(client, 2)).status).toBe(409);
    expect(await restore(client, 1)).toMatchObject({ status: 404, body: { code: 'version_gone' } });
    await pin(id);
    await client.patch(`/api/tool-suites/${id}`, { name: 'Again' });
    expect((await restore(theirs, 2)).status).toBe(404);
    const viewer = (await client.post('/api/tokens', { name: 'v', role: 'viewer' })).body.token;
    expect((await restore(clientOf(api.url, viewer), 2)).status).toBe(403);
    expect((await restore(client, 2)).status).toBe(200);
  });
});
