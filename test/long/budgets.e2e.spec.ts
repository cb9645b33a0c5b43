import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Redis } from 'ioredis';
import { clientOf, weatherSuite, type Client } from '../client.js';
import { startProcess, until, type RunningProcess } from '../processes.js';
import { createDatabase, startRedis, watchCommands, type PrivateRedis } from '../services.js';

/** A provider that counts its concurrent requests. */
let provider: Server;
/** When requests were requested and allowed, in ms of Redis' clock: a busy machine sends them in bunches. */
let [starts, asked] = [[] as number[], [] as number[]];
const PERMIT_TTL_MS = 10_000;
let watching: Redis;
let [inFlight, most] = [0, 0];
let latencyMs = 100;
const reply = JSON.stringify({
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'No.' } }],
  usage: { prompt_tokens: 90, completion_tokens: 10, total_tokens: 100 },
});

let redis: PrivateRedis;
let workers: RunningProcess[];
let client: Client;
beforeAll(async () => {
  provider = createServer((request, response) => {
    most = Math.max(most, ++inFlight);
    request.resume();
    setTimeout(
      () => (inFlight--, response.writeHead(200, { 'content-type': 'application/json' }).end(reply)),
      latencyMs,
    );
  });
  await new Promise<void>((listening) => provider.listen(0, '127.0.0.1', listening));
  const database = await createDatabase();
  redis = await startRedis();
  watching = await watchCommands(redis.url);
  const permits = new Set<string>(); // a permit is renewed under its id
  watching.on('monitor', (_time: string, [command, key, ...args]: string[]) => {
    if (command === 'HSET' && key!.endsWith(':state') && args.length === 4 && args[2] === 'factor_at')
      asked.push(Number(args[3]));
    if (command !== 'ZADD' || !key!.endsWith(':permits') || permits.has(args[1]!)) return;
    permits.add(args[1]!);
    starts.push(Number(args[0]) - PERMIT_TTL_MS);
  });
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  const [api, ...three] = await Promise.all([
    startProcess('api', env),
    ...[1, 2, 3].map(() => startProcess('worker', { ...env, LOG_LEVEL: 'error' })),
  ]);
  workers = three;
  client = clientOf(api.url);
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  watching.disconnect();
  provider.closeAllConnections();
  provider.close();
}, 60_000);

async function saturate(key: string, limits: object): Promise<{ job_id: string }> {
  [starts, asked, most] = [[], [], 0];
  const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
  await client.post('/api/providers', {
    key,
    base_url,
    api_key: `sk-${key}-0123456789`,
    limits,
    models: [{ id: 'any' }],
  });
  const suite = await client.post('/api/tool-eval/import', weatherSuite(1000));
  return (await client.post('/api/tool-eval', { suite_id: suite.body.suite_id, models: [`${key}::any`], samples: 10 }))
    .body;
}
const cancelled = (job_id: string) => client.post('/api/tool-eval/cancel', { job_id });
/** The largest number of starts in any window of so many milliseconds. */
const mostWithin = (windowMs: number): number => {
  let [first, largest] = [0, 0];
  starts.forEach((start, last) => {
    while (starts[first]! <= start - windowMs) first++;
    largest = Math.max(largest, last - first + 1);
  });
  return largest;
};
/**
 * Requests a second from `skipped` on, because the first ones are an idle lane's burst. A budget holds what a tenth
 * of a second brings, so a longer time without a request counts as a tenth: this machine was busy.
 */
const rate = (skipped: number): number => {
  const times = asked.filter((atMs) => atMs >= starts[skipped]! && atMs <= starts.at(-1)!);
  const workedMs = times.reduce((sum, atMs, n) => sum + Math.min(100, atMs - (times[n - 1] ?? atMs)), 0);
  return ((starts.length - 1 - skipped) * 1000) / workedMs;
};

// lane-budget.int.spec.ts measures how near a lane comes to its limit; this leaves a tenth.
it('three worker processes keep to requests a minute together, and use them up', async () => {
  const perS = 20;
  const { job_id } = await saturate('requests', { requests_per_minute: perS * 60, max_concurrency: 50 });
  await until(() => starts.length >= 240, { what: '240 requests', timeoutMs: 100_000 });
  await cancelled(job_id);
  expect(mostWithin(1000)).toBeLessThanOrEqual(perS * 1.1 + 2);
  expect(mostWithin(10_000)).toBeLessThanOrEqual(perS * 10 * 1.01 + 2);
  expect(rate(20)).toBeGreaterThan(perS * 0.9);
});

it('they keep to tokens a minute together, by what the replies used', async () => {
  const requestsPerS = 20; // of 100 tokens each, though the estimate of a request is more
  const { job_id } = await saturate('tokens', { tokens_per_minute: requestsPerS * 100 * 60, max_concurrency: 50 });
  await until(() => starts.length >= 240, { what: '240 requests', timeoutMs: 100_000 });
  await cancelled(job_id);
  expect(mostWithin(10_000)).toBeLessThanOrEqual(requestsPerS * 10 * 1.03 + 6);
  expect(rate(60)).toBeGreaterThan(requestsPerS * 0.9);
});

it('they share one limit of requests in flight, also while Redis loses its data, and take up new limits', async () => {
  latencyMs = 50;
  const { job_id } = await saturate('in-flight', { max_concurrency: 6 });
  await until(() => starts.length >= 150);
  await redis.flushAll();
  const before = starts.length;
  await until(() => starts.length >= before + 150, { what: 'requests after the flush' });
  expect(most).toBe(6);
  await client.patch('/api/providers/in-flight', { limits: { max_concurrency: 2 } });
  await until(() => inFlight <= 2);
  await until(() => (most = inFlight) <= 2); // Requests from before the lower limit have ended.
  const lowered = starts.length;
  await until(() => starts.length >= lowered + 40);
  await cancelled(job_id);
  latencyMs = 100;
});
