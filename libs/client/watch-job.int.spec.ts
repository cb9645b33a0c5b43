// A separate API process: its connections are counted, and it loses Postgres.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import pg from 'pg';
import { io, type Socket } from 'socket.io-client';
import { startApi, type ApiInProcess } from '../../test/api.js';
import { weatherSuite } from '../../test/client.js';
import { ADMIN_TOKEN } from '../../test/processes.js';
import { createDatabase } from '../../test/services.js';
import { someoneWaits } from '../../test/lock-wait.js';
import { until } from '../../test/until.js';
import { tcpProxy, type TcpProxy } from '../../test/tcp-proxy.js';
import type { WatchEvent } from './job-watch.js';
import { LiveConnection, type LiveTeamEvent } from './live-connection.js';
import { watchJob } from './watch-job.js';

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

/** A job without a worker. */
async function idleJob(): Promise<string> {
  await api.client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'a' }] });
  const { suite_id } = (await api.client.post('/api/tool-eval/import', weatherSuite(1))).body;
  return (await api.client.post('/api/tool-eval', { suite_id, models: ['sim::a'] })).body.job_id;
}
const cancel = (jobId: string) => api.client.post('/api/tool-eval/cancel', { job_id: jobId });
/** A job that ended before it was watched. */
async function endedJob(): Promise<string> {
  const jobId = await idleJob();
  await cancel(jobId);
  return jobId;
}
/** From metrics that may be a second old. */
const sockets = async (): Promise<number> =>
  Number(/^toolmark_live_connections (\d+)/m.exec((await api.client.get('/metrics')).body)![1]);

async function allEvents(jobId: string): Promise<WatchEvent[]> {
  const seen: WatchEvent[] = [];
  for await (const event of watchJob(api.url, jobId, { token: ADMIN_TOKEN })) seen.push(event);
  return seen;
}

it('a watch that starts during a Postgres outage gets everything afterwards', async () => {
  const jobId = await endedJob();
  const lock = await direct.connect();
  await lock.query('BEGIN');
  await lock.query('LOCK TABLE job');
  const watched = allEvents(jobId);
  watched.catch(() => {}); // Awaited below.
  await someoneWaits(direct, 'the subscription to ask the database');
  proxy.cut();
  await until(async () => (await api.client.get('/readyz')).status === 503);
  await lock.query('ROLLBACK');
  lock.release();
  proxy.mend();
  expect((await watched).map(({ name }) => name)).toContain('job_cancelled');
});

it('a Socket.IO client reconnects when Postgres is back, and is only refused for its token', async () => {
  const refusals: string[] = [];
  const connect = (token: string): Socket =>
    io(api.url, { auth: { token }, transports: ['websocket'], reconnectionDelay: 50, forceNew: true }).on(
      'connect_error',
      ({ message }) => refusals.push(message),
    );
  const sockets = [connect(ADMIN_TOKEN)];
  try {
    const [socket] = sockets as [Socket];
    await until(() => socket.connected);
    proxy.cut();
    let closed = 0;
    socket.io.on('close', () => closed++);
    socket.io.engine.close();
    await until(() => closed > 3 || refusals.length, { what: 'the server to close what it cannot look up' });
    expect([socket.connected, socket.active, refusals]).toEqual([false, true, []]);
    proxy.mend();
    await until(() => socket.connected, { what: 'the connection to be back' });
    sockets.push(connect('wrong'));
    await until(() => refusals.length > 0);
    expect([refusals, sockets[1]!.active]).toEqual([['The token is unknown, revoked or expired.'], false]);
  } finally {
    proxy.mend();
    for (const socket of sockets) socket.disconnect();
  }
});

it('an end that arrives before the subscription is answered is delivered after earlier events', async () => {
  const jobId = await idleJob();
  const other = io(api.url, { auth: { token: ADMIN_TOKEN }, transports: ['websocket'] });
  const ends: string[] = [];
  other.on('job_failed', ({ job_id }: { job_id: string }) => ends.push(job_id));
  const lock = await direct.connect();
  await lock.query('BEGIN; LOCK TABLE target');
  const watched = allEvents(jobId);
  await someoneWaits(direct, 'the subscription to wait');
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

it('a job that cannot be watched is not retried', async () => {
  await expect(allEvents('01a1fc11-0570-72f9-b84b-b15294fa812e')).rejects.toThrow(/No job/);
});

/** What a watch yields, as it comes, by name; `done` when it ends. */
function collect(watch: AsyncGenerator<WatchEvent>): { names: string[]; done: Promise<string[]> } {
  const names: string[] = [];
  const read = async (): Promise<string[]> => {
    for await (const { name } of watch) names.push(name);
    return names;
  };
  const done = read();
  done.catch(() => {}); // Awaited by the test.
  return { names, done };
}

it('an idle watch ends with its signal, and so does its socket', async () => {
  const leaving = new AbortController();
  const jobId = await idleJob();
  const { names, done } = collect(watchJob(api.url, jobId, { token: ADMIN_TOKEN, signal: leaving.signal }));
  await until(() => names.includes('tool_eval_init'));
  await until(async () => (await sockets()) === 1);
  leaving.abort();
  await done;
  await until(async () => (await sockets()) === 0, { what: 'the socket to be gone' });
  expect(await collect(watchJob(api.url, jobId, { token: ADMIN_TOKEN, signal: leaving.signal })).done).toEqual([]);
});

it('a watch from now on repeats no earlier events', async () => {
  const jobId = await idleJob();
  const { names, done } = collect(watchJob(api.url, jobId, { token: ADMIN_TOKEN, from: 'now' }));
  await until(() => names.length > 0);
  await cancel(jobId);
  expect((await done).filter((name) => name !== 'tool_eval_progress')).toEqual(['job_cancelled']);
});

describe('one connection', () => {
  let live: LiveConnection;
  beforeEach(() => void (live = new LiveConnection(api.url, { token: ADMIN_TOKEN })));
  afterEach(() => live.close());

  it('follows several jobs and the team over one socket', async () => {
    const news: LiveTeamEvent[] = [];
    live.onTeamEvent((item) => news.push(item));
    await until(() => news.length > 0);
    const [one, other] = [await idleJob(), await idleJob()];
    const watches = [one, other].map((jobId) => collect(live.watchJob(jobId)));
    await until(() => watches.every(({ names }) => names.includes('tool_eval_init')));
    await until(async () => (await sockets()) === 1);
    await cancel(one);
    expect(await watches[0]!.done).toContain('job_cancelled');
    expect(watches[1]!.names).not.toContain('job_cancelled');
    const heard = (name: string, jobId: string) =>
      news.some((item) => 'event' in item && item.name === name && item.event.job_id === jobId);
    await until(() => heard('job_created', other) && heard('job_cancelled', one));
    expect(news[0]).toEqual({ name: 'connected' });
    live.close();
    await watches[1]!.done;
    await until(async () => (await sockets()) === 0);
  });

  it('follows a job for two readers, and continues for the one that stays', async () => {
    const jobId = await idleJob();
    const leaving = new AbortController();
    const stays = collect(live.watchJob(jobId));
    const leaves = collect(live.watchJob(jobId, { from: 'now', signal: leaving.signal }));
    await until(() => stays.names.includes('tool_eval_init') && leaves.names.length > 0);
    leaving.abort();
    await leaves.done;
    await cancel(jobId);
    expect((await stays.done).filter((name) => name !== 'tool_eval_progress')).toEqual([
      'job_created',
      'tool_eval_init',
      'job_cancelled',
    ]);
  });

  it('reports its refusal to all current and later watchers', async () => {
    const refused = new LiveConnection(api.url, { token: 'nobody' });
    const news: string[] = [];
    refused.onTeamEvent(({ name }) => news.push(name));
    await expect(collect(refused.watchJob(await idleJob())).done).rejects.toThrow(/token is unknown/);
    await expect(collect(refused.watchJob(await idleJob())).done).rejects.toThrow(/token is unknown/);
    refused.onTeamEvent(({ name }) => news.push(name));
    expect(news).toEqual(['refused', 'refused']);
    refused.close();
  });
});

it('a process can exit after it has watched a job to its end', async () => {
  const given = [api.url, await endedJob(), { token: ADMIN_TOKEN, patienceMs: 3_600_000 }];
  const watch = `import { watchJob } from './dist/libs/client/watch-job.js';
    for await (const _event of watchJob(${given.map((value) => JSON.stringify(value)).join(', ')}));`;
  child = spawn(resolve('node_modules/.bin/node'), ['--input-type=module', '-e', watch], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  expect(await once(child, 'exit')).toEqual([0, null]);
});
