// Private systems: their connections go silent. The tests mostly wait, so they run concurrently.
import { clientOf, weatherSuite } from '../client.js';
import { startProcess, until, type RunningProcess } from '../processes.js';
import { createDatabase, createRedis } from '../services.js';
import { tcpProxy } from '../tcp-proxy.js';
import { untilRunCompleted } from '../until-ended.js';

const STARTS_NONE =
  /^\d+ items for sim are queued and this process has \d free slots for them, but it has started none in 30 s\.$/;

it.concurrent(
  'a worker whose queue went silent reports that it must be restarted, and why; another takes its work',
  async () => {
    const [database, redis] = [await createDatabase(), await createRedis()];
    // The worker's own connections send PING; the queue's never do.
    const proxy = await tcpProxy(new URL(redis.url), { spares: (bytes) => /\bping\b/i.test(bytes.toString('latin1')) });
    const env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
    const [simulator, api] = [await startProcess('simulator'), await startProcess('api', env)];
    const worker = await startProcess('worker', { ...env, REDIS_URL: proxy.url });
    const client = clientOf(api.url);
    await client.post('/api/providers', {
      key: 'sim',
      base_url: `${simulator.url}/v1`,
      api_key: 'sk-liveness-0123456789',
      limits: { max_concurrency: 4 },
      models: [{ id: 'instant' }],
    });
    const run = async (): Promise<() => Promise<boolean>> => {
      const suite = await client.post('/api/tool-eval/import', weatherSuite(20));
      const { eval_id } = (
        await client.post('/api/tool-eval', { suite_id: suite.body.suite_id, models: ['sim::instant'], cache: 'off' })
      ).body;
      return async () => (await client.get(`/api/tool-eval/history/${eval_id}`)).body.status === 'completed';
    };
    await until(await run(), { what: 'the first run' });
    const health = async ({ url }: RunningProcess): Promise<{ status: number; body: any }> => {
      const answer = await fetch(`${url}/healthz`);
      return { status: answer.status, body: await answer.json() };
    };
    expect(await (await fetch(`${worker.url}/readyz`)).json()).toEqual({ postgres: 'up', redis: 'up' }); // its PING

    proxy.silence();
    const second = await run();
    const dead = await until(
      async () => {
        const now = await health(worker);
        return now.status === 503 ? now : undefined;
      },
      { what: 'the worker to notice', timeoutMs: 60_000 },
    );
    expect(dead.body).toEqual({
      status: 'stuck',
      why: [expect.stringMatching(STARTS_NONE)],
    });
    await until(() => worker.logs().includes('does not take its queued items'), { what: 'the log to say so' });
    expect((await fetch(`${worker.url}/readyz`)).status).toBe(200); // Redis and Postgres are healthy

    const fresh = await startProcess('worker', env);
    await until(second, { what: 'the second run' });
    expect((await health(fresh)).status).toBe(200);
    await until(async () => (await health(worker)).status === 200, { what: 'nothing to wait any more' });
    await worker.kill('SIGKILL');
    proxy.close();
  },
);

it.concurrent('a worker and an API replace silent Postgres connections; nothing is lost or settled twice', async () => {
  const [database, redis] = [await createDatabase(), await createRedis()];
  const proxy = await tcpProxy(new URL(database.url));
  // Instead of a minute.
  const env = { DATABASE_URL: `${proxy.url}?query_timeout=1500`, REDIS_URL: redis.url, LOG_LEVEL: 'warn' };
  const [simulator, api] = [await startProcess('simulator'), await startProcess('api', env)];
  const worker = await startProcess('worker', env);
  const client = clientOf(api.url);
  await client.post('/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    limits: { max_concurrency: 4 },
    models: [{ id: 'slow-40' }],
  });
  const suite_id = await client.importSuite(weatherSuite(60));
  const { eval_id } = (await client.post('/api/tool-eval', { suite_id, models: ['sim::slow-40'], cache: 'off' })).body;
  const run = async () => (await client.get(`/api/tool-eval/history/${eval_id}`)).body;
  await until(async () => (await run()).counts.settled > 10);
  proxy.silence();
  proxy.mend(); // For new connections only.
  const done = await untilRunCompleted(client, eval_id);
  expect(done.counts).toMatchObject({ total: 60, settled: 60, errored: 0 });
  // The API may still hold a connection that has not been used since.
  const results = await until(async () => {
    const { status, body } = await client.get(`/api/tool-eval/history/${eval_id}/results?limit=200`);
    return status === 503 ? undefined : body.items;
  });
  expect(results).toHaveLength(60);
  expect(worker.logs()).toContain('Query read timeout');
  await Promise.all([worker.kill('SIGKILL'), api.kill('SIGKILL')]);
  proxy.close();
});
