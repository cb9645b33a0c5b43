import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import pg from 'pg';
import { io } from 'socket.io-client';
import { startApi, type ApiInProcess } from '../../test/api.js';
import { weatherSuite } from '../../test/client.js';
import { ADMIN_TOKEN } from '../../test/processes.js';
import { createDatabase } from '../../test/services.js';
import { until } from '../../test/until.js';
import { tcpProxy, type TcpProxy } from '../../test/tcp-proxy.js';
import { watchJob, type WatchEvent } from './watch-job.js';

let proxy: TcpProxy;
let direct: pg.Pool;
let api: ApiInProcess;
let child: ChildProcess | undefined;
beforeAll(async () => {
  const { url } = await createDatabase();
  proxy = await tcpProxy(new URL(url));
  direct = new pg.Pool({ connectionString: url, max: 2 });
  direct.on('error', () => {});
  api = await startApi({ DATABASE_URL: proxy.url });
});
afterAll(async () => {
  child?.kill();
  await api.close();
  await direct.end();
  proxy.close();
});

/** A job that ended before anyone watched it. */
async function endedJob(): Promise<string> {
  await api.client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'a' }] });
  const { suite_id } = (await api.client.post('/api/tool-eval/import', weatherSuite(1))).body;
  const { job_id } = (await api.client.post('/api/tool-eval', { suite_id, models: ['sim::a'] })).body;
  await api.client.post('/api/tool-eval/cancel', { job_id });
  return job_id;
}

async function allEvents(jobId: string): Promise<WatchEvent[]> {
  const seen: WatchEvent[] = [];
  for await (const event of watchJob(api.url, ADMIN_TOKEN, jobId)) seen.push(event);
  return seen;
}

it('a watch that begins while Postgres is gone gets everything once it is back', async () => {
  const jobId = await endedJob();
  const lock = await direct.connect();
  await lock.query('BEGIN');
  await lock.query('LOCK TABLE job');
  const watched = allEvents(jobId);
  watched.catch(() => {}); // Awaited below.
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await until(async () => (await direct.query(waiting)).rowCount, { what: 'the subscription to ask the database' });
  proxy.cut();
  await until(async () => (await api.client.get('/readyz')).status === 503);
  await lock.query('ROLLBACK');
  lock.release();
  proxy.mend();
  expect((await watched).map(({ name }) => name)).toContain('job_cancelled');
});

it('an end that arrives before the subscription is answered comes after what led to it', async () => {
  await api.client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'a' }] });
  const { suite_id } = (await api.client.post('/api/tool-eval/import', weatherSuite(1))).body;
  const { job_id: jobId } = (await api.client.post('/api/tool-eval', { suite_id, models: ['sim::a'] })).body;
  const other = io(api.url, { auth: { token: ADMIN_TOKEN }, transports: ['websocket'] });
  const ends: string[] = [];
  other.on('job_failed', ({ job_id }: { job_id: string }) => ends.push(job_id));
  const lock = await direct.connect();
  await lock.query('BEGIN; LOCK TABLE target');
  const watched = allEvents(jobId);
  await until(
    async () =>
      (
        await direct.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
      ).rowCount,
    { what: 'the subscription to wait' },
  );
  await until(() => other.connected);
  await direct.query('UPDATE job SET last_seq = 3 WHERE id = $1', [jobId]);
  await direct.query(`INSERT INTO job_event (job_id, seq, at, name, data) VALUES ($1, 3, now(), 'job_failed', '{}')`, [
    jobId,
  ]);
  await until(() => ends.includes(jobId), { what: 'the team to get the end' });
  await lock.query('ROLLBACK');
  lock.release();
  other.disconnect();
  expect((await watched).flatMap((entry) => ('event' in entry ? [[entry.event.seq, entry.name]] : []))).toEqual([
    [1, 'job_created'],
    [2, 'tool_eval_init'],
    [3, 'job_failed'],
  ]);
});

it('a job that cannot be watched is not asked for again', async () => {
  await expect(allEvents('01a1fc11-0570-72f9-b84b-b15294fa812e')).rejects.toThrow(/No job/);
});

it('nothing keeps a process alive after it watched a job to its end', async () => {
  const given = [api.url, ADMIN_TOKEN, await endedJob(), 0, 3_600_000];
  const watch = `import { watchJob } from './dist/libs/client/watch-job.js';
    for await (const _event of watchJob(${given.map((value) => JSON.stringify(value)).join(', ')}));`;
  child = spawn(resolve('node_modules/.bin/node'), ['--input-type=module', '-e', watch], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  expect(await once(child, 'exit')).toEqual([0, null]);
});
