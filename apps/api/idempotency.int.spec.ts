import { keepAnswer, takeKey } from '#lib/db/idempotency';
import { sha256 } from '#lib/runtime/seal';
import { startApi, type ApiInProcess } from '../../test/api.js';
import { clientOf, weatherSuite, type Client } from '../../test/client.js';

let api: ApiInProcess;
let client: Client;

beforeAll(async () => {
  api = await startApi();
  client = api.client;
  await client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', api_key: 'sk-secret-0123456789', models: [{ id: 'a' }, { id: 'b:8b' }] });
}, 60_000);
afterAll(() => api.close());

const importSuite = async (file: object = weatherSuite(2)): Promise<string> => (await client.post('/api/tool-eval/import', file)).body.suite_id;

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

  it('is kept with the run that it made: whatever fails afterwards, a repeat finds that run', async () => {
    const body = { suite_id: await importSuite(), models: ['sim::a'] };
    const submit = () => client.post('/api/tool-eval', body, { 'idempotency-key': 'with-the-run' });
    await api.deps.pool.query('ALTER TABLE audit RENAME TO audit_away'); // what comes after the run's commit fails
    expect((await submit()).status).toBe(500);
    await api.deps.pool.query('ALTER TABLE audit_away RENAME TO audit');
    const again = await submit();
    expect(again.status).toBe(202);
    const { rows } = await api.deps.pool.query('SELECT id FROM run WHERE suite_id = $1', [body.suite_id]);
    expect(rows).toEqual([{ id: again.body.eval_id }]);
  });

  const owner = async () => {
    const me = (await client.get('/api/me')).body;
    return { teamId: me.team.id, userId: me.user.id };
  };
  const suite = { name: 'Once', tools: weatherSuite(0).tools };
  const fingerprint = sha256(`POST /api/tool-suites\n${JSON.stringify(suite)}`);

  it('of a request whose process died is free again after a minute, and no sooner', async () => {
    const key = { ...(await owner()), key: 'died' };
    await takeKey(api.deps.pool, key, fingerprint);
    expect(await takeKey(api.deps.pool, key, fingerprint)).toEqual({ state: 'under-way' });
    await api.deps.pool.query(`UPDATE idempotency_key SET created_at = now() - interval '61 s' WHERE key = 'died'`);
    expect((await client.post('/api/tool-suites', suite, { 'idempotency-key': 'died' })).status).toBe(201);
  });

  it('of a request under way makes the second one wait for its answer', async () => {
    const key = { ...(await owner()), key: 'slow' };
    await takeKey(api.deps.pool, key, fingerprint);
    const second = client.post('/api/tool-suites', suite, { 'idempotency-key': 'slow' });
    await keepAnswer(api.deps.pool, key, 201, '{"id":"of the first"}');
    expect(await second).toMatchObject({ status: 201, body: { id: 'of the first' } });
  });

  it('repeats a refusal too, as the problem document that it was', async () => {
    const [first, second] = [
      await client.post('/api/tool-suites', { name: 'x' }, { 'idempotency-key': 'bad' }), await client.post('/api/tool-suites', { name: 'x' }, { 'idempotency-key': 'bad' })];
    expect(second).toMatchObject({ status: 400, body: first.body });
    expect(second.headers.get('content-type')).toMatch(/problem/);
  });

  it('is its user’s own', async () => {
    const other = clientOf(api.url, (await client.post('/api/tokens', { name: 'o', role: 'editor', user: 'other' })).body.token);
    const ids = await Promise.all([client, other].map(async (by) => (await by.post('/api/tool-suites', suite, { 'idempotency-key': 'shared' })).body.id));
    expect(new Set(ids).size).toBe(2);
  });

  it('is refused when it is empty or longer than 200 characters', async () => {
    for (const key of ['', 'x'.repeat(201)]) expect((await client.post('/api/tool-suites', suite, { 'idempotency-key': key })).status).toBe(400);
  });
});
