import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, weatherSuite, type Client } from '../../../test/client.js';

let api: SharedApi;
let client: Client;
let suites: string[];
let experiment: string;

beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
  const models = [{ id: 'a' }, { id: 'b' }, { id: 'sim::b' }];
  await client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models });
  await client.post('/api/providers', { key: 'other', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'b' }] });
  const importSuite = async () => (await client.post('/api/tool-eval/import', weatherSuite(1))).body.suite_id;
  suites = [await importSuite(), await importSuite()];
  experiment = (await client.post('/api/experiments', { name: 'Words', suite_id: suites[0] })).body.id;
}, 60_000);

const submit = async (request: object): Promise<string> => {
  const { status, body } = await client.post('/api/tool-eval', { suite_id: suites[0], models: ['sim::a'], ...request });
  expect({ status, ...(status !== 202 && body) }).toEqual({ status: 202 });
  return body.eval_id;
};
const read = async (id: string) => (await client.get(`/api/tool-eval/history/${id}`)).body;
const label = (id: string, labels: object, of = client) => of.patch(`/api/tool-eval/history/${id}`, labels);

describe('the history', () => {
  const runs: Record<string, string> = {};
  beforeAll(async () => {
    runs.first = await submit({});
    runs.second = await submit({ suite_id: suites[1], models: ['other::b'] });
    runs.third = await submit({ models: ['sim::a', 'sim::b'], experiment_id: experiment });
    runs.fourth = await submit({ suite_id: suites[1], models: [{ provider_key: 'sim', model_id: 'sim::b' }] });
    await api.pool.query(`UPDATE run SET status = 'completed' WHERE id = ANY ($1)`, [[runs.first, runs.second]]);
    await api.pool.query(`UPDATE run SET status = 'cancelled' WHERE id = $1`, [runs.third]);
  });

  it.each([
    [() => '', ['fourth', 'third', 'second', 'first']],
    [() => `suite_id=${suites[0]}`, ['third', 'first']],
    [() => `experiment_id=${experiment}`, ['third']],
    [() => 'status=completed', ['second', 'first']],
    [() => 'status=cancelled&status=completed', ['third', 'second', 'first']],
    [() => `status=completed&suite_id=${suites[1]}`, ['second']],
    [() => 'model=sim::a', ['third', 'first']],
    [() => 'model=b', ['third', 'second']],
    [() => 'model=other::b&model=sim::a', ['third', 'second', 'first']],
    [() => 'model=sim::sim::b', ['fourth']],
    [() => 'model=nobody', []],
    [() => 'suite_id=019aa8a2-5c1e-7000-8000-000000000011', []],
  ])('is filtered, page by page', async (query, names) => {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await client.get(`/api/tool-eval/history?limit=1&${query()}${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.items.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(names.map((name) => runs[name]));
  });

  it.each([
    ['status=done', '/status/0'],
    ['suite_id=Weather', '/suite_id'],
    [Array.from({ length: 51 }, (_, n) => `model=${n}`).join('&'), '/model'],
  ])('refuses %s', async (query, pointer) => {
    expect(await client.get(`/api/tool-eval/history?${query}`)).toMatchObject({
      status: 400,
      body: { errors: [{ path: pointer }] },
    });
  });
});

describe('a run', () => {
  it('has a name, a note and a submitter', async () => {
    const id = await submit({ name: ' Short prompts ', note: 'The old ones\nwere long.' });
    expect(await read(id)).toMatchObject({
      name: 'Short prompts',
      note: 'The old ones\nwere long.',
      submitted_by: (await client.get('/api/me')).body.user.name,
    });
    expect((await read(id)).config).not.toHaveProperty('name');
    expect(await read(await submit({}))).toMatchObject({ name: null, note: null });
    await api.pool.query('UPDATE run SET user_id = gen_random_uuid() WHERE id = $1', [id]);
    expect(await read(id)).toMatchObject({ submitted_by: null });
  });

  it('can be renamed and annotated at any time, separately, and a repeated request takes effect once', async () => {
    const id = await submit({ name: 'First', note: 'why' });
    expect(await label(id, { name: 'Second' })).toMatchObject({ status: 200, body: { name: 'Second', note: 'why' } });
    expect((await label(id, { note: null })).body).toMatchObject({ id, name: 'Second', note: null });
    expect((await label(id, {})).body).toEqual(await read(id));
    const again = { 'idempotency-key': 'name-it' };
    const path = `/api/tool-eval/history/${id}`;
    await client.send('PATCH', path, { name: 'Third' }, again);
    await label(id, { name: null });
    expect((await client.send('PATCH', path, { name: 'Third' }, again)).body).toMatchObject({ name: 'Third' });
    expect(await read(id)).toMatchObject({ name: null });
    const { rows } = await api.pool.query('SELECT action FROM audit WHERE subject = $1 ORDER BY id', [id]);
    expect(rows.map(({ action }) => action)).toEqual(['run.submit', ...Array(5).fill('run.update')]);
  });

  it('accepts readable names and notes, only from editors of its team', async () => {
    const id = await submit({ name: 'Ours' });
    for (const [labels, pointer] of [
      [{ name: ' ' }, '/name'],
      [{ name: 'x'.repeat(201) }, '/name'],
      [{ note: 'x'.repeat(2001) }, '/note'],
      [{ status: 'completed' }, '/status'],
    ] as const)
      expect(await label(id, labels)).toMatchObject({ status: 400, body: { errors: [{ path: pointer }] } });
    const viewer = (await client.post('/api/tokens', { name: 'eyes', role: 'viewer' })).body.token;
    expect((await label(id, { name: 'Mine' }, clientOf(api.url, viewer))).status).toBe(403);
    const other = (await api.anotherTeam()).body.token.token;
    expect((await label(id, { name: 'Mine' }, clientOf(api.url, other))).status).toBe(404);
    expect(await read(id)).toMatchObject({ name: 'Ours' });
  });
});
