// A private system: it watches its Redis commands, and empties Redis.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Redis } from '#lib/runtime/redis';
import { clientOf, weatherSuite, type Client } from '../client.js';
import { startProcess, until, type RunningProcess } from '../processes.js';
import { createDatabase, startRedis, watchCommands, type PrivateRedis } from '../services.js';

/** A provider that counts its concurrent requests, by the first segment of their path. */
let provider: Server;
let latencyMs = 100;
const requestsAt = new Map<string, { inFlight: number; most: number }>();
const at = (key: string): { inFlight: number; most: number } => {
  if (!requestsAt.has(key)) requestsAt.set(key, { inFlight: 0, most: 0 });
  return requestsAt.get(key)!;
};
/** When a lane's requests were made and allowed, in ms of Redis' clock: a busy machine sends them in bunches. */
class LaneTimes {
  readonly asked: number[] = [];
  readonly starts: number[] = [];
}
const lanes = new Map<string, LaneTimes>();
const timesOf = (redisKey: string): LaneTimes => {
  const [, id] = /budget-([^}]+)/.exec(redisKey)!;
  if (!lanes.has(id!)) lanes.set(id!, new LaneTimes());
  return lanes.get(id!)!;
};
const PERMIT_TTL_MS = 10_000;
let watching: Redis;
const reply = JSON.stringify({
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'No.' } }],
  usage: { prompt_tokens: 90, completion_tokens: 10, total_tokens: 100 },
});

let redis: PrivateRedis;
let workers: RunningProcess[];
let client: Client;
beforeAll(async () => {
  provider = createServer((request, response) => {
    const here = at(request.url!.split('/')[1]!);
    here.most = Math.max(here.most, ++here.inFlight);
    request.resume();
    setTimeout(
      () => (here.inFlight--, response.writeHead(200, { 'content-type': 'application/json' }).end(reply)),
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
      timesOf(key!).asked.push(Number(args[3]));
    if (command !== 'ZADD' || !key!.endsWith(':permits') || permits.has(args[1]!)) return;
    permits.add(args[1]!);
    timesOf(key!).starts.push(Number(args[0]) - PERMIT_TTL_MS);
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

/** Keeps a new provider busy. */
async function saturate(key: string, limits: object): Promise<{ times: LaneTimes; cancel(): Promise<unknown> }> {
  const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/${key}/v1`;
  const models = [{ id: 'any' }];
  await client.post('/api/providers', { key, base_url, api_key: `sk-${key}-0123456789`, limits, models });
  const suite_id = await client.importSuite(weatherSuite(1000));
  const run = { suite_id, models: [`${key}::any`], samples: 10 };
  const { job_id } = (await client.post('/api/tool-eval', run)).body;
  const { id } = (await client.get('/api/lanes')).body.items.find(({ name }: any) => name === key);
  return { times: timesOf(`budget-${id}`), cancel: () => client.post('/api/tool-eval/cancel', { job_id }) };
}
/** The largest number of starts in any window of this many milliseconds. */
const mostWithin = ({ starts }: LaneTimes, windowMs: number): number => {
  let [first, largest] = [0, 0];
  starts.forEach((start, last) => {
    while (starts[first]! <= start - windowMs) first++;
    largest = Math.max(largest, last - first + 1);
  });
  return largest;
};
/**
 * Requests per second from index `skipped`, because the first ones are an idle lane's burst. A budget holds the amount
 * of a tenth of a second, so a longer time without a request counts as a tenth: this machine was busy.
 */
const rate = ({ asked, starts }: LaneTimes, skipped: number): number => {
  const times = asked.filter((atMs) => atMs >= starts[skipped]! && atMs <= starts.at(-1)!);
  const workedMs = times.reduce((sum, atMs, n) => sum + Math.min(100, atMs - (times[n - 1] ?? atMs)), 0);
  return ((starts.length - 1 - skipped) * 1000) / workedMs;
};

// lane-budget.int.spec.ts measures how near a lane comes to its limit; here a tenth is tolerated.
describe('three worker processes together', () => {
  const PER_S = 20;
  let requests: LaneTimes;
  let tokens: LaneTimes;
  beforeAll(async () => {
    const max_concurrency = 50;
    const [byRequests, byTokens] = await Promise.all([
      saturate('requests', { requests_per_minute: PER_S * 60, max_concurrency }),
      // Requests of 100 tokens each, although their estimate is higher.
      saturate('tokens', { tokens_per_minute: PER_S * 100 * 60, max_concurrency }),
    ]);
    [requests, tokens] = [byRequests.times, byTokens.times];
    for (const { times, cancel } of [byRequests, byTokens]) {
      await until(() => times.starts.length >= 240, { what: '240 requests', timeoutMs: 100_000 });
      await cancel();
    }
  });

  it('stay within requests per minute, and use them up', () => {
    expect(mostWithin(requests, 1000)).toBeLessThanOrEqual(PER_S * 1.1 + 2);
    expect(mostWithin(requests, 10_000)).toBeLessThanOrEqual(PER_S * 10 * 1.01 + 2);
    expect(rate(requests, 20)).toBeGreaterThan(PER_S * 0.9);
  });

  it('stay within tokens per minute, counted from the replies', () => {
    expect(mostWithin(tokens, 10_000)).toBeLessThanOrEqual(PER_S * 10 * 1.03 + 6);
    expect(rate(tokens, 60)).toBeGreaterThan(PER_S * 0.9);
  });

  it('share one limit of requests in flight, even when Redis loses its data, and apply new limits', async () => {
    latencyMs = 50;
    const { times, cancel } = await saturate('in-flight', { max_concurrency: 6 });
    const here = at('in-flight');
    await until(() => times.starts.length >= 150);
    await redis.flushAll();
    const before = times.starts.length;
    await until(() => times.starts.length >= before + 150, { what: 'requests after the flush' });
    expect(here.most).toBe(6);
    await client.patch('/api/providers/in-flight', { limits: { max_concurrency: 2 } });
    await until(() => here.inFlight <= 2);
    await until(() => (here.most = here.inFlight) <= 2); // Requests from before the limit was lowered have ended.
    const lowered = times.starts.length;
    await until(() => times.starts.length >= lowered + 40);
    await cancel();
  });
});
