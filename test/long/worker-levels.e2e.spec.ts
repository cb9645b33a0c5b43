// A private system: initially, none of its workers may be of this release.
import { weatherSuite } from '../client.js';
import { startProcess } from '../processes.js';
import { startSystem } from '../system.js';
import { until } from '../until.js';

/** Results settled by a worker. */
async function settledBy(worker: { url: string }): Promise<number> {
  const metrics = await (await fetch(`${worker.url}/metrics`)).text();
  return [...metrics.matchAll(/^toolmark_items_total\{.*\} (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0);
}

it('a worker of an older level plays earlier runs, and leaves new ones to a newer worker', async () => {
  const { client, sql, simulator, databaseUrl, redisUrl, startWorker } = await startSystem({ workers: 0 });
  const models = [{ id: 'slow-50' }];
  await client.post('/api/providers', { key: 'sim', base_url: `${simulator.url}/v1`, models });
  const suite_id = await client.importSuite(weatherSuite(20));
  const submit = async () => (await client.post('/api/tool-eval', { suite_id, models: ['sim::slow-50'] })).body;
  const before = await submit();
  await sql.query('UPDATE run SET worker_level = 1 WHERE id = $1', [before.eval_id]);
  await sql.query('UPDATE target SET active = true WHERE run_id = $1', [before.eval_id]);
  const later = await submit();

  // The session's settings come from the database URL, since no environment variable sets them.
  const settings = new URL(databaseUrl);
  settings.searchParams.set('options', '-c toolmark.worker_level=1');
  const env = { DATABASE_URL: settings.href, REDIS_URL: redisUrl, LOG_LEVEL: 'warn' };
  const lower = await startProcess('worker', env);
  expect(lower.logs()).toContain('Postgres does not know the level of this worker');
  const statusOf = async ({ eval_id }: { eval_id: string }) =>
    (await client.get(`/api/tool-eval/history/${eval_id}`)).body.status;
  await until(async () => (await statusOf(before)) === 'completed', { what: 'the earlier run to be played' });
  expect(await statusOf(later)).toBe('queued');
  const job = async () => (await client.get(`/api/jobs/${later.job_id}`)).body;
  expect((await job()).detail).toMatch(/^No running worker can play this run: start workers of release .* or later\.$/);

  await startWorker();
  await until(async () => (await statusOf(later)) === 'completed', { what: 'the later run to be played' });
  expect((await job()).detail).toBe(null);
  expect(await settledBy(lower)).toBe(20);
});
