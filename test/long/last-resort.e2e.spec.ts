// A private system: its processes throw uncaught exceptions.
import { io } from 'socket.io-client';
import { clientOf, weatherSuite, type Client } from '../client.js';
import { ADMIN_TOKEN, startProcess, until, type RunningProcess } from '../processes.js';
import { createDatabase, createRedis } from '../services.js';
import { untilRunCompleted } from '../until-ended.js';

let env: Record<string, string>;
let simulator: RunningProcess;
let api: RunningProcess;
let client: Client;

beforeAll(async () => {
  const [database, redis] = [await createDatabase(), await createRedis()];
  env = { DATABASE_URL: database.url, REDIS_URL: redis.url, LOG_LEVEL: 'warn' };
  [simulator, api] = [await startProcess('simulator'), await startProcess('api', env)];
  client = clientOf(api.url);
  await client.post('/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    limits: { max_concurrency: 3 },
    models: [{ id: 'slow-1000' }],
  });
}, 300_000);

const breakable = (name: 'api' | 'worker'): Promise<RunningProcess> =>
  startProcess(name, env, { preload: 'test/fail-on-signal.mjs' });
const isReady = async ({ url }: RunningProcess): Promise<boolean> => (await fetch(`${url}/readyz`)).ok;
const linesOf = (started: RunningProcess) =>
  started
    .logs()
    .split('\n')
    .filter((line) => line.includes('nothing caught'))
    .map((line) => JSON.parse(line) as { level: number; error: string; stack: string });

// They mostly wait, so they run concurrently.
it.concurrent.each(['SIGWINCH', 'SIGURG'] as const)(
  'an API with an uncaught error (%s) logs it, is not ready, serves open requests for five seconds, and exits with 1',
  async (signal) => {
    const broken = await breakable('api');
    const socket = io(broken.url, { auth: { token: ADMIN_TOKEN }, transports: ['websocket'], reconnection: false });
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('connect_error', reject));
    expect(await isReady(broken)).toBe(true);
    const before = performance.now();
    await broken.kill(signal);
    await until(async () => !(await isReady(broken)), { what: 'it to be unready' });
    expect((await fetch(`${broken.url}/healthz`)).status).toBe(200);
    expect((await clientOf(broken.url).get('/api/me')).status).toBe(200);
    expect(await socket.timeout(4000).emitWithAck('unsubscribe', {})).toMatchObject({ ok: false });
    await broken.kill(signal === 'SIGURG' ? 'SIGWINCH' : 'SIGURG');
    expect(await broken.exited).toBe(1);
    expect(performance.now() - before).toBeGreaterThan(4500);
    const [first, second] = linesOf(broken);
    expect(first).toMatchObject({
      level: 60,
      error: expect.stringMatching(signal === 'SIGURG' ? /^rejected/ : /^thrown/),
      stack: expect.stringContaining('fail-on-signal.mjs'),
    });
    expect(second).toMatchObject({ level: 60, stack: expect.stringContaining('fail-on-signal.mjs') });
    expect(await isReady(api)).toBe(true);
  },
  120_000,
);

it.concurrent(
  'a worker with an uncaught error claims nothing new; its claimed items end and are not requested again',
  async () => {
    const asked = async (): Promise<number> =>
      ((await (await fetch(`${simulator.url}/control/stats`)).json()) as any).models['slow-1000']?.requests ?? 0;
    const broken = await breakable('worker');
    const suite = await client.importSuite(weatherSuite(12));
    const { eval_id: id } = (
      await client.post('/api/tool-eval', { suite_id: suite, models: ['sim::slow-1000'], cache: 'off' })
    ).body as { eval_id: string };
    await until(async () => (await asked()) >= 3, { what: 'three requests to be made' });
    await broken.kill('SIGWINCH');
    await until(async () => !(await isReady(broken)), { what: 'it to be unready' });
    expect(await broken.exited).toBe(1);
    const inHand = await asked();
    expect(inHand).toBeLessThan(12);
    expect((await client.get(`/api/tool-eval/history/${id}/results`)).body.items).toHaveLength(inHand);

    await startProcess('worker', env);
    await untilRunCompleted(client, id);
    expect(await asked()).toBe(12);
  },
  240_000,
);
