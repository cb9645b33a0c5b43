// Needs its own API, in this process: it counts connections, failures and the queries of its pool.
import { io, type Socket } from 'socket.io-client';
import { Redis } from 'ioredis';
import pg from 'pg';
import { notify } from '#lib/events/notifications';
import { startApi, type ApiInProcess } from '../../../test/api.js';
import { clientOf, weatherSuite, type Client } from '../../../test/client.js';
import { ADMIN_TOKEN } from '../../../test/processes.js';
import { until } from '../../../test/until.js';

let api: ApiInProcess;
let sql: pg.Pool;
const sockets: Socket[] = [];

interface Team {
  client: Client;
  socket: Socket;
  heard: string[];
  submit(): Promise<string>;
}
let first: Team;
let second: Team;

async function connect(token: string): Promise<Socket> {
  const socket = io(api.url, { auth: { token }, transports: ['websocket'], reconnection: false });
  sockets.push(socket);
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('connect_error', reject));
  return socket;
}

async function join(token: string): Promise<Team> {
  const client = clientOf(api.url, token);
  await client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'm' }] });
  const suite = (await client.post('/api/tool-eval/import', weatherSuite(1))).body.suite_id as string;
  const socket = await connect(token);
  const heard: string[] = [];
  socket.onAny((name: string, { job_id: id }: { job_id: string }) => heard.push(`${name} ${id}`));
  const submit = async (): Promise<string> =>
    (await client.post('/api/tool-eval', { suite_id: suite, models: ['sim::m'] })).body.job_id;
  return { client, socket, heard, submit };
}

beforeAll(async () => {
  api = await startApi();
  sql = new pg.Pool({ connectionString: api.env.DATABASE_URL, max: 4 });
  sql.on('error', () => {});
  first = await join(ADMIN_TOKEN);
  second = await join((await first.client.post('/api/teams', { name: 'second' })).body.token.token);
}, 60_000);
afterAll(async () => {
  for (const socket of sockets) socket.disconnect();
  await sql.end();
  await api.close();
});

const hears = (team: Team, event: string) => until(() => team.heard.includes(event), { what: `the event ${event}` });
const subscribe = (team: Team, jobId: string): Promise<any> =>
  team.socket.timeout(60_000).emitWithAck('subscribe', { job_id: jobId, after_seq: 0 });
const failures = async (step: string): Promise<number> =>
  Number(
    new RegExp(`^toolmark_live_failures_total\\{step="${step}"\\} (\\d+)`, 'm').exec(
      (await first.client.get('/metrics')).body,
    )?.[1] ?? 0,
  );
/** Counts the API's statements that wait for a lock. */
const waiting = async (like: string): Promise<number> =>
  (
    await sql.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
        AND query ILIKE $1`,
      [`%${like}%`],
    )
  ).rowCount!;
/** Runs `work` while a table is locked against reads. */
async function locked(table: string, work: () => Promise<void>): Promise<void> {
  const client = await sql.connect();
  try {
    await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    await work();
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}
/** Logs the final event of a job. */
const logEvent = (jobId: string, seq: number, data = '{}') =>
  sql.query(`INSERT INTO job_event (job_id, seq, at, name, data) VALUES ($1, $2, now(), 'job_failed', $3)`, [
    jobId,
    seq,
    data,
  ]);

interface Message {
  name: string;
  seq: number;
  data?: object;
}
/** Collects the messages that a socket receives about a job. */
function listenTo(socket: Socket, jobId: string): Message[] {
  const told: Message[] = [];
  socket.onAny((name: string, { job_id, ...message }: any) => job_id === jobId && told.push({ name, ...message }));
  return told;
}
/** Appends the final event to the log of a job. */
async function end(jobId: string): Promise<void> {
  const { rows } = await sql.query('UPDATE job SET last_seq = last_seq + 1 WHERE id = $1 RETURNING last_seq', [jobId]);
  await logEvent(jobId, rows[0].last_seq);
}

it('an event that was broadcast is repeated in order to a later subscriber', async () => {
  const jobId = await first.submit();
  await hears(first, `job_created ${jobId}`);
  await first.client.post('/api/tool-eval/cancel', { job_id: jobId });
  await hears(first, `job_cancelled ${jobId}`);
  const told = listenTo(first.socket, jobId);
  expect(await subscribe(first, jobId)).toMatchObject({ ok: true, snapshot: { last_seq: 3 } });
  const events = (): [number, string][] => told.flatMap(({ name, seq, data }) => (data ? [[seq, name]] : []));
  await until(() => events().length >= 3);
  expect(events()).toEqual([
    [1, 'job_created'],
    [2, 'tool_eval_init'],
    [3, 'job_cancelled'],
  ]);
});

it('an event of a subscription is not broadcast again', async () => {
  const jobId = await first.submit();
  await subscribe(first, jobId);
  const told = listenTo(first.socket, jobId);
  first.socket.once('job_cancelled', () => first.socket.emit('unsubscribe', { job_id: jobId }));
  await first.client.post('/api/tool-eval/cancel', { job_id: jobId });
  await until(() => told.some(({ name }) => name === 'job_cancelled'));
  const next = await first.submit();
  await hears(first, `job_created ${next}`);
  expect(told.filter(({ name }) => name === 'job_cancelled')).toHaveLength(1);
});

it('progress counts the whole run and the work of its job; a rescore has no run', async () => {
  const jobId = await first.submit();
  // The state that a resume leaves when four of five results exist.
  await sql.query('UPDATE target SET n = 5, settled = 4 WHERE run_id = (SELECT id FROM run WHERE job_id = $1)', [
    jobId,
  ]);
  const told = listenTo(first.socket, jobId);
  expect(await subscribe(first, jobId)).toMatchObject({
    snapshot: { job: { progress: { done: 0, total: 1 } }, progress: { current: 4, total: 5 } },
  });
  await end(jobId);
  const last = (name: string) => told.findLast((message) => message.name === name);
  await until(() => last('job_progress')?.seq === 3);
  expect(last('tool_eval_progress')).toMatchObject({
    seq: 3,
    current: 4,
    total: 5,
    targets: [{ settled: 4, total: 5 }],
  });
  expect(last('job_progress')).toEqual({ name: 'job_progress', seq: 3, done: 0, total: 1, percent: 0 });

  const other = await first.submit();
  await sql.query(`UPDATE job SET type = 'rescore', done = 3, total = 4 WHERE id = $1`, [other]);
  const ofOther = listenTo(first.socket, other);
  expect(await subscribe(first, other)).toMatchObject({
    snapshot: { progress: { current: 3, total: 4, targets: [] } },
  });
  await until(() => ofOther.some(({ name }) => name === 'job_progress'));
  expect(ofOther.find(({ name }) => name === 'job_progress')).toMatchObject({ done: 3, total: 4, percent: 75 });
  expect(ofOther.map(({ name }) => name)).not.toContain('tool_eval_progress');
});

it('a slow check of the tokens is not started twice, and events are sent meanwhile', async () => {
  for (let n = 0; n < 4; n++)
    await connect((await first.client.post('/api/tokens', { name: `t${n}`, role: 'viewer' })).body.token);
  const jobId = await first.submit();
  await hears(first, `job_created ${jobId}`);
  await locked('token', async () => {
    await until(async () => (await waiting('FROM token')) > 0, { what: 'the tokens to be checked' });
    for (const seq of [900, 901]) {
      await logEvent(jobId, seq);
      const before = first.heard.length;
      await until(() => first.heard.length > before, { what: 'the next poll of the events' });
    }
    expect(await waiting('FROM token')).toBe(1);
  });
}, 60_000);

it('the tokens of all connections are checked in one statement', async () => {
  const asked: string[] = [];
  const { pool } = api;
  const query = pool.query.bind(pool) as (...args: any[]) => any;
  (pool as any).query = (...args: any[]) => {
    if (args[0]?.name === 'find_callers') asked.push(args[0].values[0]);
    return query(...args);
  };
  try {
    await until(() => asked.length >= 2, { what: 'two checks' });
  } finally {
    delete (pool as any).query;
  }
  // A token is looked for under two hashes.
  expect(asked.map((hashes) => hashes.length)).toEqual([12, 12]);
}, 60_000);

it('one team with thousands of events in seconds delays no other team', async () => {
  const [loud, quiet] = [await first.submit(), await second.submit()];
  // Within the next hour, so that the events count as recent for as long as this test runs.
  const insert = `INSERT INTO job_event (job_id, seq, at, name, data)
    SELECT $1, 1000 + n, now() + interval '1 h' + n * interval '1 us', 'job_failed', '{}'
      FROM generate_series($2::int, $3::int) n`;
  await sql.query(insert, [loud, 1, 5000]);
  await sql.query(insert, [quiet, 5001, 5001]);
  await hears(second, `job_failed ${quiet}`);
  expect(second.heard.join()).not.toContain(loud);
  await sql.query('DELETE FROM job_event WHERE seq > 1000');
}, 60_000);

it('an event that cannot be read is skipped for its team only, and counted', async () => {
  const broken = await first.submit();
  await logEvent(broken, 2000, '{"cut off');
  const [after, theirs] = [await first.submit(), await second.submit()];
  await Promise.all([hears(first, `job_created ${after}`), hears(second, `job_created ${theirs}`)]);
  expect(await failures('teams')).toBeGreaterThan(0);
}, 60_000);

it('a job whose log cannot be read blocks no other job', async () => {
  const [broken, fine] = [await first.submit(), await second.submit()];
  expect([await subscribe(first, broken), await subscribe(second, fine)]).toMatchObject([{ ok: true }, { ok: true }]);
  const last = (await sql.query('UPDATE job SET last_seq = last_seq + 1 WHERE id = $1 RETURNING last_seq', [broken]))
    .rows[0].last_seq as number;
  await logEvent(broken, last, '{"cut off');
  const before = await failures('job');
  await until(async () => (await failures('job')) > before, { what: 'the failure to be counted' });
  await second.client.post('/api/tool-eval/cancel', { job_id: fine });
  await hears(second, `job_cancelled ${fine}`);
  await sql.query('DELETE FROM job_event WHERE job_id = $1', [broken]);
}, 60_000);

it('a team whose subscriptions and jobs are slow to read delays no other team', async () => {
  const jobs = await Promise.all(Array.from({ length: 30 }, () => first.submit()));
  const answers: Promise<any>[] = [];
  await locked('target', async () => {
    for (const jobId of jobs) answers.push(subscribe(first, jobId));
    await until(async () => (await waiting('FROM target')) > 0, { what: 'the subscriptions to wait' });
    for (let n = 0; n < 20; n++) expect((await second.client.get('/api/tool-suites')).status).toBe(200);
    expect(await waiting('FROM target')).toBeLessThanOrEqual(4);
  });
  expect((await Promise.all(answers)).map(({ ok }) => ok)).toEqual(jobs.map(() => true));
}, 60_000);

it('a try-out queries Postgres once a second, and when it is notified of a change', async () => {
  const { query } = api.pool;
  let asked = 0;
  api.pool.query = ((config: any, ...rest: any[]) => {
    if (config?.name === 'try_out_settled') asked++;
    return (query as any).call(api.pool, config, ...rest);
  }) as typeof query;
  const { test_cases: cases, tools } = weatherSuite(1);
  const tryOut = (seconds: number) =>
    first.client.post('/api/tool-eval/try', { case: cases[0], tools, models: ['sim::m'], deadline_s: seconds });
  try {
    expect((await tryOut(1)).body.results).toMatchObject([{ error: { kind: 'unanswered' } }]);
    expect(asked).toBeLessThanOrEqual(3);
    expect((await first.client.get('/api/audit?action=case.try')).body.items).toHaveLength(1);
    asked = 0;
    const told = tryOut(2);
    const redis = new Redis(api.env.REDIS_URL);
    const { run_id } = (await until(async () => (await sql.query('SELECT run_id FROM try_out')).rows[0])) as any;
    for (let n = 1; n <= 12; n++) {
      await until(() => asked >= n);
      await notify(redis, { topic: 'job', id: run_id });
    }
    await redis.quit();
    expect((await told).status).toBe(200);
    expect(asked).toBeGreaterThan(12);
  } finally {
    api.pool.query = query;
  }
}, 60_000);
