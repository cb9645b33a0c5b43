// A private system: it has two APIs, kills them, empties its Redis and renames a column.
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual, promisify } from 'node:util';
import { io, type Socket } from 'socket.io-client';
import pg from 'pg';
import { ApiClient } from '#lib/client/api-client';
import { watchJob } from '#lib/client/watch-job';
import { Envelope, LIVE_MESSAGES, LOG_EVENTS, type LiveMessageName } from '#lib/contracts/event';
import { clientOf, weatherSuite, type Client } from '../client.js';
import { ADMIN_TOKEN, startProcess, until, type RunningProcess } from '../processes.js';
import { played, playsAll, repeatable } from '../seed.js';
import { createDatabase, startRedis, type PrivateRedis } from '../services.js';
import { untilJobCompleted, untilJobEnded } from '../until-ended.js';

let redis: PrivateRedis;
let apis: RunningProcess[];
let client: Client;
let sql: pg.Pool;
let env: Record<string, string>;
const sockets: Socket[] = [];
const clients: ChildProcess[] = [];

beforeAll(async () => {
  const database = await createDatabase();
  redis = await startRedis();
  env = { DATABASE_URL: database.url, REDIS_URL: redis.url, LOG_LEVEL: 'warn' };
  const [simulator, ...others] = await Promise.all([
    startProcess('simulator'),
    startProcess('api', env),
    startProcess('api', env),
    startProcess('worker', env),
    startProcess('worker', env),
  ]);
  apis = others.slice(0, 2);
  client = clientOf(apis[0]!.url);
  sql = new pg.Pool({ connectionString: database.url, max: 2 });
  sql.on('error', () => {});
  await client.post('/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    limits: { max_concurrency: 20 },
    models: ['perfect-ish', 'text-only', 'slow-40', 'slow-100', 'no-required'].map((id) => ({ id })),
  });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.disconnect();
  for (const client of clients.splice(0)) client.kill();
  expect(notAsDescribed.splice(0)).toEqual([]);
});
afterAll(() => sql.end());

/** Messages that violate their schema, and therefore docs/live.md. */
const notAsDescribed: unknown[] = [];
const logEvents = Object.fromEntries(
  Object.entries(LOG_EVENTS).map(([name, data]) => [name, Envelope.extend({ data })]),
);
function check(name: string, message: any): void {
  const { success, data, error } = (logEvents[name] ?? LIVE_MESSAGES[name as LiveMessageName]).safeParse(message);
  if (!success || !isDeepStrictEqual(data, message)) notAsDescribed.push({ name, message, without: data, error });
}

interface Seen {
  name: string;
  job_id: string;
  seq: number;
}
interface WatcherSeen {
  socket: Socket;
  seen: Seen[];
  /** Number of messages by name. */
  messages: Record<string, number>;
  snapshots: any[];
  of(jobId: string): Seen[];
}
/** Connects to a replica and records every durable event. */
async function connect(replica = 1, token = ADMIN_TOKEN): Promise<WatcherSeen> {
  const socket = io(apis[replica]!.url, { auth: { token }, transports: ['websocket'] });
  sockets.push(socket);
  const seen: Seen[] = [];
  const snapshots: any[] = [];
  const messages: Record<string, number> = {};
  socket.onAny((name: string, event: any) => {
    check(name, event);
    messages[name] = (messages[name] ?? 0) + 1;
    if (name === 'tool_eval_results')
      for (const result of event.results)
        seen.push({ name: 'tool_eval_result', job_id: event.job_id, seq: result.seq });
    else if (name.endsWith('_progress')) snapshots.push(event);
    else seen.push({ name, job_id: event.job_id, seq: event.seq });
  });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('connect_error', reject));
  return { socket, seen, messages, snapshots, of: (jobId) => seen.filter((event) => event.job_id === jobId) };
}
/** Records from the acknowledgement; earlier events of the job are dropped. */
const subscribe = ({ socket, seen }: WatcherSeen, job_id: string, after_seq?: number, batch?: boolean): Promise<any> =>
  new Promise((resolve) => {
    socket.emit('subscribe', { job_id, after_seq, batch }, (answer: unknown) => {
      seen.splice(0, seen.length, ...seen.filter((event) => event.job_id !== job_id));
      resolve(answer);
    });
  });
async function submit(cases: number, models: string[]): Promise<{ jobId: string; evalId: string }> {
  const suite_id = await client.importSuite(weatherSuite(cases));
  const { body } = await client.post('/api/tool-eval', { suite_id, models });
  return { jobId: body.job_id, evalId: body.eval_id };
}
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);
const ended = (watcher: { of(jobId: string): Seen[] }, jobId: string) =>
  until(() => watcher.of(jobId).some((event) => ['job_completed', 'job_cancelled'].includes(event.name)), {
    what: 'the terminal event',
    timeoutMs: 60_000,
  });

it('every event of a run comes once, in order and without gaps, from any replica', async () => {
  const watcher = await connect(1);
  const { jobId } = await submit(12, ['slow-40', 'no-required']);
  expect(await subscribe(watcher, jobId, 0)).toMatchObject({
    ok: true,
    snapshot: { job: { id: jobId }, progress: { total: 24 } },
  });
  await ended(watcher, jobId);
  const events = watcher.of(jobId);
  expect(events.map((event) => event.seq)).toEqual(upTo(events.length));
  const names = events.map((event) => event.name);
  expect(names.slice(0, 2)).toEqual(['job_created', 'tool_eval_init']);
  expect(names.slice(-2)).toEqual(['tool_eval_complete', 'job_completed']);
  expect(names.filter((name) => name === 'tool_eval_result')).toHaveLength(24);
  expect(names.filter((name) => name === 'tool_eval_summary')).toHaveLength(2);
  expect(names.filter((name) => name === 'eval_warning')).toHaveLength(1);
  expect(watcher.snapshots.length).toBeGreaterThan(0);
}, 60_000);

it('results come one by one to clients that ask for it, at any rate, and in batches to others', async () => {
  const [single, together] = [await connect(0), await connect(0)];
  const { jobId } = await submit(60, ['perfect-ish']);
  await Promise.all([subscribe(single, jobId, 0, false), subscribe(together, jobId, 0)]);
  await Promise.all([ended(single, jobId), ended(together, jobId)]);
  expect(single.messages).toMatchObject({ tool_eval_result: 60 });
  expect(single.messages).not.toHaveProperty('tool_eval_results');
  expect(together.messages.tool_eval_results).toBeGreaterThan(0);
  expect(single.of(jobId).map(({ seq }) => seq)).toEqual(upTo(single.of(jobId).length));
  expect(together.of(jobId)).toEqual(single.of(jobId));
}, 60_000);

it('a client that is cut off and returns loses nothing and sees nothing twice', async () => {
  const first = await connect(0);
  const { jobId } = await submit(100, ['slow-40']);
  await subscribe(first, jobId, 0);
  await until(() => first.of(jobId).length > 10);
  first.socket.disconnect();
  const known = first.of(jobId).at(-1)!.seq;
  const second = await connect(1);
  await subscribe(second, jobId, known);
  await ended(second, jobId);
  const all = [...first.of(jobId), ...second.of(jobId)].map((event) => event.seq);
  expect(all).toEqual(upTo(all.length));
}, 60_000);

const importable = (modules: string): boolean => spawnSync('python3', ['-c', `import ${modules}`]).status === 0;
const hasPython = importable('socketio, aiohttp');
const languages = [
  ['js', process.execPath, '--input-type=module', '-e'],
  ...(hasPython ? [['python', 'python3', '-c']] : []),
];
if (!hasPython) it.todo('the Python client of docs/live.md: python3 here cannot import socketio and aiohttp');

/** Runs a client as printed in docs/live.md. @returns its output lines so far, and its exit */
function printedClient(
  [language, command, ...options]: string[],
  jobId: string,
): { lines(): string[][]; exited: Promise<unknown> } {
  const code = new RegExp(`\n\`\`\`${language}\n([^]*?)\`\`\``).exec(readFileSync('docs/live.md', 'utf8'))![1]!.trim();
  expect(code.split('\n').length).toBeLessThanOrEqual(15);
  const client = spawn(command!, [...options, code], {
    env: { ...process.env, URL: apis[0]!.url, TOKEN: ADMIN_TOKEN, JOB: jobId, PYTHONUNBUFFERED: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  clients.push(client);
  let output = '';
  client.stdout.on('data', (text) => (output += text));
  return {
    lines: () =>
      output
        .split('\n')
        .slice(0, -1)
        .map((line) => line.split(' ')),
    exited: new Promise((resolve) => client.once('close', resolve)),
  };
}

it(`clients (typed, JavaScript${hasPython ? ', Python' : ''}) follow a job while its server goes away`, async () => {
  const { jobId } = await submit(800, ['slow-100']);
  const printed = languages.map((language) => printedClient(language, jobId));
  const seqs: number[] = [];
  const names: string[] = [];
  const port = new URL(apis[0]!.url).port;
  let restarted: Promise<unknown> | undefined;
  for await (const entry of watchJob(apis[0]!.url, jobId, { token: ADMIN_TOKEN })) {
    if ('event' in entry) (seqs.push(entry.event.seq), names.push(entry.name));
    if (seqs.length > 20 && printed.every(({ lines }) => lines().length > 20) && !restarted) {
      restarted = apis[0]!.kill('SIGKILL').then(async () => {
        const row = await sql.query('SELECT current_database() AS name');
        const database = Object.assign(new URL(process.env.TOOLMARK_TEST_DATABASE_URL!), {
          pathname: `/${row.rows[0].name}`,
        }).href;
        apis[0] = await startProcess('api', {
          DATABASE_URL: database,
          REDIS_URL: redis.url,
          LOG_LEVEL: 'warn',
          PORT: port,
        });
      });
    }
  }
  await restarted;
  expect(seqs).toEqual(upTo(seqs.length));
  expect(names.at(-1)).toBe('job_completed');
  expect(names.filter((name) => name === 'tool_eval_result')).toHaveLength(800);
  const afterwards = languages.map((language) => printedClient(language, jobId));
  for (const { lines, exited } of [...printed, ...afterwards]) {
    expect(await exited).toBe(0);
    expect(lines().map(([seq, name]) => [Number(seq), name])).toEqual(seqs.map((seq, index) => [seq, names[index]]));
    expect(JSON.parse(lines().at(-1)!.slice(2).join(' '))).toMatchObject({ status: 'completed' });
  }
}, 120_000);

it('an unexpected error of the API is answered without details, and logged with them', async () => {
  const watcher = await connect(1);
  const { jobId } = await submit(1, ['perfect-ish']);
  await ended(watcher, jobId);
  await sql.query('ALTER TABLE rescore RENAME TO renamed');
  try {
    expect(await subscribe(watcher, jobId)).toMatchObject({
      ok: false,
      error: { status: 500, detail: 'Something went wrong on the server. Its log has the details.' },
    });
    await until(() => apis[1]!.logs().includes('A subscription failed'));
    const line = apis[1]!
      .logs()
      .split('\n')
      .find((text) => text.includes('A subscription failed'))!;
    expect(JSON.parse(line)).toMatchObject({
      level: 50,
      job: jobId,
      error: expect.stringContaining('rescore'),
      stack: expect.stringContaining('at '),
    });
  } finally {
    await sql.query('ALTER TABLE renamed RENAME TO rescore');
  }
  expect(await subscribe(watcher, jobId)).toMatchObject({ ok: true });
}, 60_000);

it('a flushed Redis and lost messages delay events and lose none', async () => {
  const watcher = await connect(1);
  const { jobId } = await submit(80, ['slow-40']);
  await subscribe(watcher, jobId, 0);
  await until(() => watcher.of(jobId).length > 5);
  await redis.flushAll();
  await redis.restart();
  await ended(watcher, jobId);
  const seqs = watcher.of(jobId).map((event) => event.seq);
  expect(seqs).toEqual(upTo(seqs.length));
}, 90_000);

it('without a subscription, a socket gets the jobs of its team, each event once, and of no other team', async () => {
  const other = (await client.post('/api/teams', { name: 'others' })).body.token.token;
  const [mine, theirs] = [await connect(1), await connect(1, other)];
  const { jobId } = await submit(3, ['perfect-ish']);
  await ended(mine, jobId);
  expect(mine.of(jobId).map((event) => event.name)).toEqual(['job_created', 'job_completed']);
  expect(await subscribe(theirs, jobId, 0)).toMatchObject({ ok: false, error: { status: 404 } });
  expect(theirs.seen).toEqual([]);
}, 60_000);

let huge: ReturnType<typeof makeHugeRun> | undefined;
const hugeRun = (): ReturnType<typeof makeHugeRun> => (huge ??= makeHugeRun());

/** A finished run whose log has 12,000 extra results, above the replay limit: copies of its two, before the end. */
async function makeHugeRun(): Promise<{ jobId: string; evalId: string; lastSeq: number }> {
  const { jobId, evalId } = await submit(2, ['perfect-ish']);
  await untilJobCompleted(client, jobId);
  const columns = (
    await sql.query(`SELECT string_agg(quote_ident(attname), ', ') AS names FROM pg_attribute
    WHERE attrelid = 'result'::regclass AND attnum > 0 AND NOT attisdropped AND attname NOT IN ('sample', 'seq')`)
  ).rows[0].names as string;
  const { last } = (await sql.query('SELECT max(seq) AS last FROM result WHERE run_id = $1', [evalId])).rows[0];
  await sql.query(
    `INSERT INTO result (sample, seq, ${columns}) SELECT n, $2 + 2 * (n - 1) + 1 + case_position, ${columns}
      FROM result, generate_series(1, 6000) n WHERE run_id = $1`,
    [evalId, last],
  );
  await sql.query('ANALYZE result'); // As autovacuum does after a minute; without it, every page sorts all rows.
  await sql.query('UPDATE job_event SET seq = seq + 12000 WHERE job_id = $1 AND seq > $2', [jobId, last]);
  await sql.query(
    'UPDATE target SET n = n + 12000, settled = settled + 12000, passed = passed + 12000 WHERE run_id = $1',
    [evalId],
  );
  const moved = await sql.query(
    `UPDATE job SET last_seq = last_seq + 12000, done = done + 12000, total = total + 12000 WHERE id = $1
      RETURNING last_seq`,
    [jobId],
  );
  return { jobId, evalId, lastSeq: moved.rows[0].last_seq };
}

it('a client that missed 12,000 results is sent to HTTP, and one that missed fewer gets them', async () => {
  const { jobId, evalId, lastSeq } = await hugeRun();
  const [watcher, other, single] = [await connect(1), await connect(0), await connect(0)];
  expect(await subscribe(watcher, jobId, 0)).toMatchObject({
    ok: true,
    truncated: true,
    from_seq: lastSeq,
    snapshot: { last_seq: lastSeq, progress: { current: 12_002 } },
  });
  const overHttp: number[] = [];
  for await (const { seq } of new ApiClient(apis[0]!.url, ADMIN_TOKEN).results(evalId)) overHttp.push(seq);
  expect(overHttp).toHaveLength(12_002);
  expect(overHttp).toEqual(upTo(12_002).map((n) => n + overHttp[0]! - 1));
  expect(watcher.of(jobId)).toEqual([]);

  expect(await subscribe(other, jobId, lastSeq - 10_000)).not.toHaveProperty('truncated');
  await subscribe(single, jobId, lastSeq - 10_000, false);
  for (const one of [other, single]) {
    await ended(one, jobId);
    expect(one.of(jobId).map((event) => event.seq)).toEqual(upTo(10_000).map((n) => n + lastSeq - 10_000));
  }
  expect(single.messages).not.toHaveProperty('tool_eval_results');
  const followed: string[] = [];
  for await (const { name } of watchJob(apis[0]!.url, jobId, { token: ADMIN_TOKEN })) followed.push(name);
  expect(followed).toEqual(['tool_eval_progress', 'truncated']);
}, 90_000);

// Only in the soak: the amount that the kernel buffers before the API does differs between machines.
if (playsAll)
  it.each([true, false])(
    'a client that stops reading (batch: %s) has a few pages buffered, slows nobody, and continues where it stopped',
    (batch) =>
      repeatable(async () => {
        const unsentBytes = async (): Promise<number> =>
          Number(/^toolmark_live_unsent_bytes (\d+)/m.exec((await client.get('/metrics')).body)![1]);
        const { jobId: read, lastSeq } = await hugeRun();
        const [stopped, healthy] = [await connect(0), await connect(0)];
        const tcp = (): { pause(): void; resume(): void } => (stopped.socket.io.engine.transport as any).ws._socket;
        tcp().pause();
        await until(
          () => {
            stopped.socket.emit('subscribe', { job_id: read, after_seq: lastSeq - 9000, batch }, () => {});
            // The kernel buffers some megabytes, and may take more after a while.
            let looks = 0;
            return until(async () => (looks = (await unsentBytes()) > 0 ? looks + 1 : 0) === 5, { timeoutMs: 3000 });
          },
          { what: 'the stopped client to have unread events in the API', timeoutMs: 60_000 },
        );
        const { jobId } = await submit(1500, ['perfect-ish']);
        void subscribe(stopped, jobId, 0, batch);
        await subscribe(healthy, jobId, 0);
        const kept: number[] = [];
        await until(
          async () => {
            kept.push(await unsentBytes());
            return healthy.of(jobId).some((event) => event.name === 'job_completed');
          },
          { what: 'the healthy client to have all', timeoutMs: 60_000 },
        );
        expect(healthy.of(jobId).map((event) => event.seq)).toEqual(upTo(healthy.of(jobId).length));
        // Two waiting pages and those being sent, each of up to 500 results of half a kilobyte.
        expect(Math.min(...kept)).toBeGreaterThan(0);
        expect(Math.max(...kept)).toBeLessThan(2_000_000);

        expect(stopped.of(jobId)).toEqual([]);
        tcp().resume();
        await ended(stopped, jobId);
        expect(stopped.of(jobId)).toEqual(healthy.of(jobId));
        await until(async () => (await unsentBytes()) === 0);
      }),
    150_000,
  );

it.each(played([-3_600_000, 20_000, 3_600_000]))(
  'an API whose clock is %i ms off announces what its team creates and ends, and nothing from before',
  (skewMs) =>
    repeatable(async () => {
      const before = await submit(1, ['perfect-ish']);
      await untilJobEnded(client, before.jobId);
      const skewed = await startProcess(
        'api',
        { ...env, CLOCK_SKEW_MS: String(skewMs) },
        { preload: 'bench/chaos/skewed-clock.mjs' },
      );
      const watcher = await connect(apis.push(skewed) - 1);
      const { jobId } = await submit(1, ['perfect-ish']);
      await ended(watcher, jobId);
      expect(watcher.of(jobId).map(({ name }) => name)).toEqual(['job_created', 'job_completed']);
      expect(watcher.of(before.jobId)).toEqual([]);
      await skewed.stop();
    }),
  120_000,
);

it('a wrong token is refused, and a revoked one is disconnected within seconds', async () => {
  await expect(connect(0, 'nobody')).rejects.toThrow(/token/);
  const token = (await client.post('/api/tokens', { name: 'short-lived', role: 'viewer' })).body;
  const { socket } = await connect(1, token.token);
  await client.delete(`/api/tokens/${token.id}`);
  await until(() => socket.disconnected, { what: 'the revoked token to be disconnected' });
}, 60_000);

if (playsAll)
  it('clients reconnect by themselves after Postgres was gone for 20 s', async () => {
    const { stdout } = await promisify(execFile)('node_modules/.bin/node', ['bench/chaos/live-clients.mjs']);
    expect(JSON.parse(stdout)).toEqual({ refusals: [], stillOut: true, backMs: expect.any(Number) });
  }, 180_000);
