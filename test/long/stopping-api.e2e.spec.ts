// A private system: its API is stopped.
import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { io } from 'socket.io-client';
import { clientOf, weatherSuite } from '../client.js';
import { ADMIN_TOKEN, startProcess, until } from '../processes.js';
import { playsAll } from '../seed.js';
import { createDatabase, createRedis } from '../services.js';

let env: Record<string, string>;
beforeAll(async () => {
  env = { DATABASE_URL: (await createDatabase()).url, REDIS_URL: (await createRedis()).url };
});

const answerTo = (asked: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => asked.once('response', resolve).once('error', reject));
const isRefused = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => resolve(false))
      .once('error', () => resolve(true))
      .once('connect', () => socket.destroy());
  });

it('a stopping API is unready, serves on with "connection: close", closes its port, ends open requests', async () => {
  const api = await startProcess('api', env);
  const client = clientOf(api.url);
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const ask = (path: string, agent?: Agent) =>
    answerTo(request(api.url + path, { headers, agent: agent ?? false }).end());
  const CASES = 6000;
  const suite = {
    ...weatherSuite(1),
    test_cases: Array.from({ length: CASES }, (_, n) => ({
      prompt: `${n} ${'x'.repeat(1500)}`,
      expected_tool: 'get_weather',
    })),
  };
  const suite_id = await client.importSuite(suite);
  for (let n = 0; n < 2; n++)
    expect((await client.post(`/api/tool-suites/${suite_id}/cases`, suite.test_cases)).status).toBe(201);

  const socket = io(api.url, { auth: { token: ADMIN_TOKEN }, transports: ['websocket'], reconnection: false });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('connect_error', reject));
  const gone = new Promise<string>((resolve) => socket.once('disconnect', resolve));
  const [used, kept, reading] = [0, 1, 2].map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
  for (const agent of [used, kept]) expect((await text(await ask('/healthz', agent))).length).toBeGreaterThan(0);
  // An export that its client has not begun to read, and an import that has half arrived.
  const exported = await ask(`/api/tool-suites/${suite_id}/export`, reading);
  const file = JSON.stringify(weatherSuite(3));
  const importing = request(`${api.url}/api/tool-eval/import`, {
    method: 'POST',
    agent: new Agent({ keepAlive: true }),
    headers: { ...headers, 'content-type': 'application/json', 'content-length': file.length },
  });
  importing.write(file.slice(0, 100));
  // However slow this machine is, the body must not look stalled.
  let sent = 100;
  const dripping = setInterval(() => importing.write(file.slice(sent, ++sent)), 1000);
  const imported = answerTo(importing);

  process.kill(api.pid, 'SIGTERM');
  await until(async () => (await client.get('/readyz')).status === 503, { what: 'it to be unready' });
  for (const [path, status] of [
    ['/readyz', 503],
    ['/api/me', 200],
    ['/api/nothing', 404],
    ['/healthz', 200],
    ['/socket.io/?EIO=4&transport=polling', 200],
  ] as const) {
    const answer = await ask(path);
    expect([path, answer.statusCode, answer.headers.connection]).toEqual([path, status, 'close']);
    answer.resume();
  }
  expect((await ask('/api/me', used)).headers.connection).toBe('close');
  expect(socket.connected).toBe(true);

  await until(() => isRefused(api.url), { what: 'the port to be closed' });
  expect(await gone).toBe('transport close'); // after which clients reconnect automatically
  clearInterval(dripping);
  importing.end(file.slice(sent));
  const answer = await imported;
  expect([answer.statusCode, answer.headers.connection, JSON.parse(await text(answer)).test_cases_created]).toEqual([
    201,
    'close',
    3,
  ]);
  expect(JSON.parse(await text(exported)).test_cases).toHaveLength(3 * CASES);
  // This answer did not say that its connection closes, so the next request may come.
  const next = await ask('/api/me', reading);
  expect([next.statusCode, next.headers.connection]).toEqual([200, 'close']);
  next.resume();
  expect(await api.exited).toBe(0);
  expect(api.logs()).not.toContain('broken off');
}, 120_000);

it.each([
  ['SIGINT', undefined],
  ['SIGTERM', 'SIGINT'],
  ['SIGTERM', 'SIGTERM'],
] as const)(
  'an API stopped from a terminal, or twice (%s %s), serves nobody any longer, and breaks off large answers',
  async (first, second) => {
    const api = await startProcess('api', env);
    const { items } = (await clientOf(api.url).get('/api/tool-suites')).body;
    const suite = items.find(({ test_cases_count: count }: any) => count > 1000);
    const exported = await answerTo(
      request(`${api.url}/api/tool-suites/${suite.id}/export`, {
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
        agent: false,
      }).end(),
    );
    process.kill(api.pid, first);
    if (second) {
      await until(async () => (await fetch(`${api.url}/readyz`)).status === 503);
      process.kill(api.pid, second);
    }
    expect(await api.exited).toBe(0);
    expect(api.logs()).toMatch(/"hurry":true/);
    await expect(text(exported)).rejects.toThrow(/aborted/);
  },
  120_000,
);

// It waits 20 s, concurrently with the others.
it.concurrent(
  'a stopping API does not wait for a client that never ends its request',
  async () => {
    const api = await startProcess('api', env);
    const headers = {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      'content-type': 'application/json',
      'content-length': 100,
    };
    const half = request(`${api.url}/api/tool-eval/import`, { method: 'POST', agent: false, headers });
    half.write('{"name": ');
    // A stalled body ends sooner.
    const dripping = setInterval(() => half.write(' '), 3000);
    const broken = answerTo(half).then(
      () => 'answered',
      (error: Error) => error.message,
    );
    await until(async () => (await clientOf(api.url).get('/api/me')).status === 200);
    process.kill(api.pid, 'SIGINT');
    expect(await api.exited).toBe(0);
    clearInterval(dripping);
    expect(await broken).toMatch(/hang up|ECONNRESET/);
    expect(api.logs()).toContain('broken off');
  },
  120_000,
);

/** Keeps connections to the APIs that are not stopping, as a balancer of TCP connections does. */
class Balanced extends Agent {
  #turn = 0;

  constructor(readonly ports: Set<number>) {
    super({ keepAlive: true });
  }

  override createConnection() {
    const open = [...this.ports];
    return connect(open[this.#turn++ % open.length]!, '127.0.0.1');
  }
}

it.concurrent(
  'clients that call without a pause over kept connections see no error while two APIs are replaced in turn',
  async () => {
    const own = { DATABASE_URL: (await createDatabase()).url, REDIS_URL: (await createRedis()).url };
    const apis = await Promise.all([startProcess('api', own), startProcess('api', own)]);
    const portOf = ({ url }: { url: string }): number => Number(new URL(url).port);
    const ports = new Set(apis.map(portOf));
    const prompts = Array.from({ length: 2000 }, (_, n) => `${n} ${'x'.repeat(2000)}`);
    const test_cases = prompts.map((prompt) => ({ prompt, expected_tool: 'get_weather' }));
    const suite_id = await clientOf(apis[0]!.url).importSuite({ ...weatherSuite(1), test_cases });

    let isOver = false;
    const answered = { small: 0, large: 0 };
    const errors: string[] = [];
    const call = async (kind: 'small' | 'large', path: string): Promise<void> => {
      const agent = new Balanced(ports);
      while (!isOver) {
        try {
          const options = { agent, host: 'toolmark', path, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } };
          const answer = await answerTo(request(options).end());
          await text(answer);
          if (answer.statusCode === 200) answered[kind]++;
          else errors.push(`${path}: ${answer.statusCode}`);
        } catch (error) {
          errors.push(`${path}: ${String(error)}`);
        }
        if (kind === 'small') await delay(20); // A call, 50 times a second.
      }
      agent.destroy();
    };
    const clients = [
      ...Array.from({ length: 10 }, () => call('small', '/api/me')),
      // An answer that began before the stop does not say that its connection closes.
      ...Array.from({ length: 4 }, () => call('large', `/api/tool-suites/${suite_id}/export`)),
    ];
    for (let n = 0; n < (playsAll ? 20 : 2); n++) {
      const before = { ...answered };
      await until(() => answered.small > before.small + 50 && answered.large > before.large + 4);
      const old = apis[n % 2]!;
      const isUnready = (async () => {
        await until(async () => (await fetch(`${old.url}/readyz`)).status === 503);
        ports.delete(portOf(old));
      })();
      process.kill(old.pid, 'SIGTERM');
      await isUnready;
      expect(await old.exited).toBe(0);
      ports.add(portOf((apis[n % 2] = await startProcess('api', own))));
    }
    isOver = true;
    await Promise.all(clients);
    expect(errors).toEqual([]);
  },
  300_000,
);
