import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, weatherSuite, type Client } from '../../../test/client.js';

let api: SharedApi;
beforeAll(async () => void (api = await joinIdleApi()), 60_000);

const seen = async (client: Client, query = ''): Promise<any[]> => (await client.get(`/api/jobs${query}`)).body.items;

describe('a list of jobs', () => {
  it('says whose each job is, and its place among those of its user that wait', async () => {
    const { client } = api;
    await client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'a' }] });
    await client.put('/api/settings/jobs', { running_jobs_per_user: 1 });
    const { suite_id } = (await client.post('/api/tool-eval/import', weatherSuite(1))).body;
    const { token } = (await client.post('/api/tokens', { name: 'e', role: 'editor', user: 'linus' })).body;
    const linus = clientOf(api.url, token);
    const submit = async (by: Client): Promise<string> =>
      (await by.post('/api/tool-eval', { suite_id, models: ['sim::a'] })).body.job_id;
    const mine = [await submit(client), await submit(client), await submit(client)];
    const theirs = [await submit(linus), await submit(linus)];
    const me = (await client.get('/api/me')).body.user.name;
    const shown = (jobs: any[]) => jobs.map(({ id, submitted_by: by, position }) => [id, by, position]);
    expect(shown(await seen(client))).toEqual([
      [theirs[1], 'linus', 1],
      [theirs[0], 'linus', null],
      [mine[2], me, 2],
      [mine[1], me, 1],
      [mine[0], me, null],
    ]);
    await client.post(`/api/jobs/${mine[1]}/cancel`);
    expect((await client.get(`/api/jobs/${mine[2]}`)).body).toMatchObject({ status: 'pending', position: 1 });
    expect((await client.get(`/api/jobs/${mine[1]}`)).body).toMatchObject({ status: 'cancelled', position: null });

    const ids = async (query: string) => (await seen(client, query)).map(({ id }) => id);
    expect(await ids('?status=pending&status=queued&status=running')).toEqual([theirs[1], theirs[0], mine[2], mine[0]]);
    expect(await ids('?status=pending')).toEqual([theirs[1], mine[2]]);
    expect(await ids('?status=cancelled&status=pending')).toEqual([theirs[1], mine[2], mine[1]]);
    expect((await client.get('/api/jobs?status=gone')).status).toBe(400);
    const others = clientOf(api.url, (await api.anotherTeam()).body.token.token);
    expect(await seen(others, '?status=pending&status=queued&status=running')).toEqual([]);
  });
});
