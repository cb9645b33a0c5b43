import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PatientClient } from './patient-client.js';

let server: Server;
let client: PatientClient;
/** How often the server still refuses, and what it asks to wait. */
let refusals = 0;
let retryAfter: string | undefined = '0';
let code = 'rate_limited';
const asked: { method?: string; key: unknown }[] = [];
const waits: number[] = [];

beforeAll(async () => {
  server = createServer(({ method, headers }, response) => {
    asked.push({ method, key: headers['idempotency-key'] });
    const isRefused = refusals-- > 0;
    response.writeHead(isRefused ? 429 : 200, {
      'content-type': isRefused ? 'application/problem+json' : 'application/json',
      ...(isRefused && retryAfter !== undefined && { 'retry-after': retryAfter }),
    });
    response.end(JSON.stringify(isRefused ? { status: 429, code, detail: 'Too many.' } : { all: 1 }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = new PatientClient(url, 'token', (seconds) => waits.push(seconds));
});
afterAll(() => server.close());
beforeEach(() => {
  [refusals, retryAfter, code] = [0, '0', 'rate_limited'];
  asked.length = waits.length = 0;
});

it('sends again what was refused for now: a read, and a change with the same key', async () => {
  refusals = 2;
  expect(await client.call('GET', '/api/suites')).toEqual({ all: 1 });
  expect(asked.splice(0).map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
  refusals = 1;
  expect(await client.call('POST', '/api/tool-eval', {})).toEqual({ all: 1 });
  expect(waits).toEqual([0, 0, 0]);
  const [first, again] = asked.splice(0);
  expect(first!.key).toMatch(/^[\da-f-]{36}$/);
  expect(again).toEqual(first);
  await client.call('POST', '/api/tool-eval', {}, { idempotencyKey: 'mine' });
  await client.call('POST', '/api/tool-eval', {});
  expect(asked[0]!.key).toBe('mine');
  expect(asked[1]!.key).not.toBe(first!.key);
});

it('does not repeat a change without a key, wait for minutes, or ask for ever', async () => {
  const refused = { problem: { status: 429 } };
  refusals = 1;
  await expect(client.call('PUT', '/api/gates/1', {})).rejects.toMatchObject({ ...refused, retryAfterS: 0 });
  [refusals, retryAfter] = [1, '121'];
  await expect(client.call('GET', '/api/suites')).rejects.toMatchObject({ ...refused, retryAfterS: 121 });
  [refusals, retryAfter] = [1, undefined];
  await expect(client.call('GET', '/api/suites')).rejects.toMatchObject(refused);
  expect(asked.splice(0).length).toBe(3);
  [refusals, retryAfter] = [9, '0'];
  await expect(client.call('GET', '/api/suites')).rejects.toMatchObject(refused);
  expect(asked.length).toBe(6);
});

it('sends a change again without its own key when no more are kept, once, and never without a given one', async () => {
  [refusals, retryAfter, code] = [1, '600', 'too_many_keys'];
  expect(await client.call('POST', '/api/tool-eval/estimate', {})).toEqual({ all: 1 });
  expect(asked.splice(0).map(({ key }) => typeof key)).toEqual(['string', 'undefined']);
  expect(waits).toEqual([]);
  const refused = { problem: { code: 'too_many_keys' }, retryAfterS: 600 };
  refusals = 2;
  await expect(client.call('POST', '/api/tool-eval', {})).rejects.toMatchObject(refused);
  expect(asked.splice(0).length).toBe(2);
  refusals = 1;
  await expect(client.call('POST', '/api/tool-eval', {}, { idempotencyKey: 'mine' })).rejects.toMatchObject(refused);
  expect(asked.map(({ key }) => key)).toEqual(['mine']);
});
