import { createLogger } from '#lib/runtime/logger';
import { connectRedis } from '#lib/runtime/redis';
import { WORKER_LEVEL } from '#lib/contracts/worker-level';
import { heartbeat, removeWorker } from '#lib/queue/worker-heartbeats';
import { addResults } from '#lib/queue/lane-throughput';
import { afterFile } from '../../../test/after-file.js';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, weatherSuite, type Client } from '../../../test/client.js';
import { until } from '../../../test/until.js';

let api: SharedApi;
let redis: ReturnType<typeof connectRedis>;
beforeAll(async () => {
  api = await joinIdleApi();
  redis = connectRedis(api.redisUrl, 'producer', createLogger('test', 'silent'));
  afterFile(() => redis.disconnect());
}, 60_000);

async function aTeam() {
  const client = clientOf(api.url, (await api.anotherTeam()).body.token.token);
  await client.post('/api/providers', {
    key: 'sim',
    base_url: 'http://127.0.0.1:9/v1',
    limits: { max_concurrency: 16 },
    models: [{ id: 'a' }, { id: 'own', limits: { max_concurrency: 2 } }],
  });
  const { suite_id } = (await client.post('/api/tool-eval/import', weatherSuite(4))).body;
  const submit = async (by: Client, body: object = {}) =>
    (await by.post('/api/tool-eval', { suite_id, models: ['sim::a'], ...body })).body;
  const lane = async (name = 'sim') =>
    (await client.get('/api/lanes')).body.items.find((one: { name: string }) => one.name === name);
  return { client, submit, lane };
}

describe('a lane', () => {
  it('says how many requests it may have at once, and its results of each of the last 15 minutes', async () => {
    const { lane } = await aTeam();
    const { id, now } = await lane();
    expect(now).toMatchObject({ allowed_at_once: 16, results_by_minute: Array.from({ length: 15 }, () => 0) });
    const present = Date.now();
    for (const [minutesAgo, n] of [
      [20, 100],
      [3, 7],
      [1, 2],
      [1, 3],
    ] as const)
      await addResults(redis, new Map([[id, n]]), present - minutesAgo * 60_000);
    const { results_by_minute: results } = (await lane()).now;
    expect(results.filter((n: number) => n > 0)).toEqual([7, 5]);
    expect((await lane('sim::own')).now.results_by_minute).not.toContain(7);
  });

  it('names the jobs and the people that wait on it, to its own team alone', async () => {
    const { client, submit, lane } = await aTeam();
    const { token } = (await client.post('/api/tokens', { name: 'e', role: 'editor', user: 'linus' })).body;
    const linus = clientOf(api.url, token);
    const me = (await client.get('/api/me')).body.user.name;
    const first = await submit(client, { name: 'Nightly 8' });
    await submit(linus, { samples: 3 });
    await submit(linus, { models: ['sim::own'] });
    const { id, backlog } = await lane();
    const { body } = await client.get(`/api/lanes/${id}/waiting`);
    expect(body).toMatchObject({ lane_id: id, items: backlog, jobs_count: 2 });
    expect(body).toMatchObject({
      items: 16,
      jobs: [
        { job_id: first.job_id, type: 'tool_eval', result_ref: first.eval_id, name: 'Nightly 8', items: 4 },
        { name: null, suite_name: 'Weather', submitted_by: 'linus', since: expect.any(String), items: 12 },
      ],
      people: [
        { name: 'linus', jobs: 1, items: 12 },
        { name: me, jobs: 1, items: 4 },
      ],
    });
    const stranger = clientOf(api.url, (await api.anotherTeam()).body.token.token);
    expect((await stranger.get(`/api/lanes/${id}/waiting`)).status).toBe(404);
    expect((await (await aTeam()).lane()).backlog).toBe(0);
    const none = (await client.get('/api/lanes')).body.items.map((one: { id: string }) => one.id);
    expect((await client.get(`/api/lanes/${none.at(-1)}/waiting`)).body.jobs_count).toBe(1);
  });
});

it('a job of which nothing moves has no time left, and says how many items wait', async () => {
  const worker = { workerId: 'of the lanes', level: WORKER_LEVEL };
  await heartbeat(redis, worker);
  afterFile(() => removeWorker(redis, worker));
  const { client, submit, lane } = await aTeam();
  const { job_id, eval_id } = await submit(client, { samples: 10 });
  await api.pool.query(
    `UPDATE job SET status = 'running', started_at = now() - interval '10 s', done = 10 WHERE id = $1`,
    [job_id],
  );
  await api.pool.query(`UPDATE run SET status = 'running' WHERE id = $1`, [eval_id]);
  await api.pool.query(`UPDATE target SET settled = 10 WHERE run_id = $1`, [eval_id]);
  const job = async () => (await client.get(`/api/jobs/${job_id}`)).body;
  await until(async () => (await job()).blocked === null, { what: 'a worker to be seen' });
  expect((await job()).progress.eta_s).toBeGreaterThan(0);
  const { id } = await lane();
  await client.post(`/api/lanes/${id}/pause`);
  expect(await job()).toMatchObject({
    progress: { eta_s: null },
    blocked: { reason: 'paused', items: 30, text: 'paused: 30 items wait' },
  });
  await client.post(`/api/lanes/${id}/resume`);
  expect(await job()).toMatchObject({ progress: { eta_s: expect.any(Number) }, blocked: null });
  await api.pool.query(`UPDATE job SET detail = 'Waiting for sim since now: 503' WHERE id = $1`, [job_id]);
  expect(await job()).toMatchObject({ progress: { eta_s: null }, blocked: { reason: 'provider', items: 30 } });
  await removeWorker(redis, worker);
  await until(async () => (await job()).blocked?.reason === 'no_worker', { what: 'no worker' });
  expect((await job()).progress.eta_s).toBeNull();
});
