import { startApi, type ApiInProcess } from '../../test/api.js';
import { type Answer, type Client } from '../../test/client.js';

let api: ApiInProcess;
let client: Client;
let sim: Answer;

beforeAll(async () => {
  api = await startApi();
  client = api.client;
  sim = await client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', api_key: 'sk-secret-0123456789', models: [{ id: 'a' }, { id: 'b:8b' }] });
}, 60_000);
afterAll(() => api.close());

describe('providers', () => {
  it('never give their key back', async () => {
    expect(sim).toMatchObject({ status: 201, body: { api_key_set: true, api_key_last4: '6789' } });
    const everything = JSON.stringify([await client.get('/api/providers'), await client.get('/api/providers/sim'), (await api.deps.pool.query('SELECT * FROM provider')).rows]);
    expect(everything).not.toContain('sk-secret');
  });

  it('share a lane when they share a key at an origin, under the stricter limits; a model with limits has its own', async () => {
    const make = (key: string, limits: object, models: object[] = []) => client.post('/api/providers', { key, base_url: 'http://127.0.0.1:10/v1', api_key: 'sk-shared', limits, models });
    await make('one', { max_concurrency: 10, requests_per_minute: 60 });
    await make('two', { max_concurrency: 5 }, [{ id: 'm', limits: { max_concurrency: 1 } }]);
    const { rows } = await api.deps.pool.query(`SELECT name, max_concurrency, requests_per_minute FROM lane WHERE name IN ('one', 'two', 'two::m') ORDER BY name`);
    expect(rows).toEqual([{ name: 'one', max_concurrency: 5, requests_per_minute: 60 }, { name: 'two::m', max_concurrency: 1, requests_per_minute: null }]);
    await client.delete('/api/providers/two');
    expect((await api.deps.pool.query(`SELECT max_concurrency FROM lane WHERE name = 'one'`)).rows).toEqual([{ max_concurrency: 10 }]);
    expect((await client.get('/api/providers/two')).status).toBe(404);
  });

  it('can be tested, and a test that fails says why', async () => {
    expect(await client.post('/api/providers/sim/test')).toMatchObject({ status: 200, body: { ok: false, error: expect.stringMatching(/refuses connections/) } });
  });
});
