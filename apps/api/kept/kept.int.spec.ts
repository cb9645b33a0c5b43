import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { addUnreachableModels, clientOf, weatherSuite, type Client } from '../../../test/client.js';

let api: SharedApi;
let client: Client;
let suite: string;
let colleague: Client;
let stranger: Client;

beforeAll(async () => {
  api = await joinIdleApi();
  ({ client } = api);
  await addUnreachableModels(client);
  suite = await client.importSuite(weatherSuite(1));
  const { body } = await client.post('/api/tokens', { name: 'eyes', role: 'viewer', user: 'grace' });
  colleague = clientOf(api.url, body.token);
  stranger = clientOf(api.url, (await api.anotherTeam()).body.token.token);
}, 60_000);

const submit = async (more: object = {}): Promise<string> =>
  (await client.post('/api/tool-eval', { suite_id: suite, models: ['sim::a'], ...more })).body.eval_id;
const mark = (kind: string, id: string, marks: object, as = client) => as.patch(`/api/me/marks/${kind}/${id}`, marks);
const listed = async (path: string, as = client): Promise<string[]> =>
  (await as.get(path)).body.items.map(({ id }: { id: string }) => id);

describe('a view of a list', () => {
  const view = { filters: { status: ['failed'] }, order: { by: 'cost', descending: true }, columns: ['name'] };

  it('is kept for its user alone, a viewer too, and replaced as a whole', async () => {
    const empty = { list: 'runs', filters: {}, order: null, columns: null, hidden: [], updated_at: null };
    expect((await colleague.get('/api/me/views/runs')).body).toEqual(empty);
    const kept = await colleague.put('/api/me/views/runs', view);
    expect(kept).toMatchObject({ status: 200, body: { ...view, list: 'runs', hidden: [] } });
    expect((await colleague.get('/api/me/views/runs')).body).toEqual(kept.body);
    expect((await client.get('/api/me/views/runs')).body).toEqual(empty);
    expect((await colleague.get('/api/me/views/suites')).body).toMatchObject({ filters: {} });
    expect((await colleague.put('/api/me/views/runs', { hidden: ['cost'] })).body).toMatchObject({
      filters: {},
      order: null,
      hidden: ['cost'],
    });
  });

  it.each([
    ['nothing', {}, 404],
    ['runs', { filters: { status: 1 } }, 400],
    ['runs', { width: 1 }, 400],
    ['runs', { filters: Object.fromEntries(Array.from({ length: 30 }, (_, n) => [n, 'x'.repeat(400)])) }, 400],
  ])('%s refuses what is not one, and what is too large', async (list, input, status) => {
    expect(await client.put(`/api/me/views/${list}`, input)).toMatchObject({ status });
  });

  it('goes with its user', async () => {
    const { rows } = await api.pool.query(`SELECT id FROM users WHERE team_id = $1 AND name = 'grace'`, [api.teamId]);
    await mark('suite', suite, { tags: ['mine'] }, colleague);
    const { body } = await client.post('/api/tokens', { name: 'gone', role: 'viewer', user: 'gone' });
    await mark('suite', suite, { tags: ['mine'] }, clientOf(api.url, body.token));
    await api.pool.query(`DELETE FROM users WHERE team_id = $1 AND name = 'gone'`, [api.teamId]);
    const left = await api.pool.query('SELECT user_id FROM mark WHERE team_id = $1', [api.teamId]);
    expect(left.rows).toEqual([{ user_id: rows[0].id }]);
  });
});

describe('marks', () => {
  it('filter the lists of their user, and of nobody else', async () => {
    const [kept, archived] = [await submit(), await submit()];
    expect(await mark('run', kept, { tags: ['release', 'a', 'release'] })).toMatchObject({
      body: { tags: ['a', 'release'], archived: false },
    });
    expect((await mark('run', archived, { archived: true })).body).toEqual({ tags: [], archived: true });
    const history = '/api/tool-eval/history';
    expect(await listed(history)).toEqual([kept]);
    expect(await listed(`${history}?archived=true`)).toEqual([archived]);
    expect(await listed(`${history}?archived=any`)).toEqual([archived, kept]);
    expect(await listed(`${history}?tag=release&tag=other&archived=any`)).toEqual([kept]);
    expect(await listed(`${history}?tag=other`)).toEqual([]);
    expect(await listed(history, colleague)).toEqual([archived, kept]);
    expect((await client.get(history)).body.items[0].mine).toEqual({ tags: ['a', 'release'], archived: false });
    expect((await client.get('/api/me/tags')).body.items).toEqual([
      { tag: 'a', count: 1 },
      { tag: 'release', count: 1 },
    ]);
    expect(await listed('/api/me/marks?kind=run&limit=1')).toEqual([archived]);
    expect((await mark('run', kept, { tags: [] })).body).toEqual({ tags: [], archived: false });
    expect(await listed('/api/me/marks?kind=run')).toEqual([archived]);
  });

  it('apply to suites and experiments, too', async () => {
    const other = await client.importSuite(weatherSuite(1));
    const experiment = (await client.post('/api/experiments', { name: 'e', suite_id: other })).body.id;
    await mark('suite', other, { archived: true });
    await mark('experiment', experiment, { archived: true, tags: ['old'] });
    expect(await listed('/api/tool-suites')).not.toContain(other);
    expect(await listed('/api/tool-suites?lean=true')).not.toContain(other);
    expect(await listed('/api/tool-suites?lean=true&archived=true')).toEqual([other]);
    expect(await listed('/api/tool-suites', colleague)).toContain(other);
    expect(await listed('/api/experiments')).toEqual([]);
    expect(await listed('/api/experiments?archived=any&tag=old')).toEqual([experiment]);
    await client.delete(`/api/experiments/${experiment}`);
    await client.delete(`/api/tool-suites/${other}`);
    expect(await listed('/api/me/marks?kind=experiment')).toEqual([]);
    expect(await listed('/api/me/marks?kind=suite')).toEqual([]);
  });

  it('go with their run, and need a run of the team', async () => {
    const run = await submit();
    await mark('run', run, { tags: ['x'] });
    expect(await mark('run', run, { tags: ['x'] }, stranger)).toMatchObject({ status: 404 });
    expect(await mark('run', suite, { tags: ['x'] })).toMatchObject({ status: 404 });
    expect(await mark('team', api.teamId, { tags: ['x'] })).toMatchObject({ status: 404 });
    expect(await mark('run', run, { tags: ['a,b'] })).toMatchObject({ status: 400 });
    await client.post('/api/tool-eval/cancel', {
      job_id: (await client.get(`/api/tool-eval/history/${run}`)).body.job_id,
    });
    expect((await client.delete(`/api/tool-eval/history/${run}`)).status).toBe(204);
    const { rows } = await api.pool.query('SELECT FROM mark WHERE subject_id = $1', [run]);
    expect(rows).toEqual([]);
  });
});
