import { SUBMIT_LEVEL, WORKER_LEVEL } from '#lib/contracts/worker-level';
import { createLogger } from '#lib/runtime/logger';
import { connectRedis } from '#lib/runtime/redis';
import { heartbeat, removeWorker } from '#lib/queue/worker-heartbeats';
import { afterFile } from '../../../test/after-file.js';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, weatherSuite, type Client } from '../../../test/client.js';
import { until } from '../../../test/until.js';

let api: SharedApi;
beforeAll(async () => void (api = await joinIdleApi()), 60_000);

const seen = async (client: Client, query = ''): Promise<any[]> => (await client.get(`/api/jobs${query}`)).body.items;

describe('a list of jobs', () => {
  it('names the user of each job, and its place in the queue of that user', async () => {
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
    const inTurn = async (query = '') => (await client.get(`/api/jobs?order=queue${query}`)).body;
    expect(shown((await inTurn()).items).map(([id]) => id)).toEqual([mine[0], theirs[0], mine[1], mine[2], theirs[1]]);
    expect((await inTurn('&status=completed')).items).toEqual([]);
    const { items, next_cursor: after } = await inTurn('&limit=3');
    expect([...items, ...(await inTurn(`&limit=3&cursor=${after}`)).items]).toEqual((await inTurn()).items);
    await client.post(`/api/jobs/${mine[1]}/cancel`);
    expect(await inTurn(`&cursor=${mine[1]}`)).toEqual(await inTurn());
    expect((await client.get(`/api/jobs/${mine[2]}`)).body).toMatchObject({ status: 'pending', position: 1 });
    expect((await client.get(`/api/jobs/${mine[1]}`)).body).toMatchObject({ status: 'cancelled', position: null });

    await api.pool.query(`UPDATE run SET name = 'Nightly 8' WHERE job_id = $1`, [mine[2]]);
    expect((await client.get(`/api/jobs/${mine[2]}`)).body).toMatchObject({ name: 'Nightly 8', suite_name: 'Weather' });
    const ids = async (query: string) => (await seen(client, query)).map(({ id }) => id);
    expect(await ids('?status=pending&status=queued&status=running')).toEqual([theirs[1], theirs[0], mine[2], mine[0]]);
    expect(await ids('?status=pending')).toEqual([theirs[1], mine[2]]);
    expect(await ids('?status=cancelled&status=pending')).toEqual([theirs[1], mine[2], mine[1]]);
    expect((await client.get('/api/jobs?status=gone')).status).toBe(400);
    const others = clientOf(api.url, (await api.anotherTeam()).body.token.token);
    expect(await seen(others, '?status=pending&status=queued&status=running')).toEqual([]);
  });
});

describe('a job that no running worker can do', () => {
  it('says so, and which workers to start, until such a worker is running', async () => {
    const { client } = await anotherTeam();
    const redis = connectRedis(api.redisUrl, 'producer', createLogger('test', 'silent'));
    const before = { workerId: 'before', level: SUBMIT_LEVEL - 1 };
    const now = { workerId: 'now', level: WORKER_LEVEL };
    afterFile(async () => {
      await Promise.all([before, now].map((worker) => removeWorker(redis, worker)));
      redis.disconnect();
    });
    await client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'a' }] });
    const { suite_id } = (await client.post('/api/tool-eval/import', weatherSuite(1))).body;
    const { job_id, eval_id } = (await client.post('/api/tool-eval', { suite_id, models: ['sim::a'] })).body;
    const says = (id: string, detail: string | null) =>
      until(async () => (await client.get(`/api/jobs/${id}`)).body.detail === detail, { what: `${detail}` });
    await says(job_id, 'No running worker: none is alive. Start one.');
    await heartbeat(redis, before);
    const { version } = (await client.get('/api/system')).body;
    const wayOut = `start workers of release ${version} or later.`;
    await says(job_id, `No running worker can play this run: ${wayOut}`);
    expect((await seen(client)).map(({ detail }) => detail)).toEqual([
      `No running worker can play this run: ${wayOut}`,
    ]);

    await api.pool.query(`UPDATE run SET status = 'completed' WHERE id = $1`, [eval_id]);
    const rescore = (await client.post(`/api/tool-eval/history/${eval_id}/rescore`, { metrics: [] })).body;
    await says(rescore.job_id, `No running worker can do this job: ${wayOut}`);
    await api.pool.query('UPDATE rescore SET worker_level = $2 WHERE id = $1', [rescore.rescore_id, WORKER_LEVEL + 1]);
    await heartbeat(redis, now);
    await says(job_id, null);
    await says(
      rescore.job_id,
      'No running worker can do this job: start workers of the release that it was submitted to.',
    );
  });
});

/** A new team, so that it has no other jobs. */
async function anotherTeam(): Promise<{ client: Client }> {
  return { client: clientOf(api.url, (await api.anotherTeam()).body.token.token) };
}
