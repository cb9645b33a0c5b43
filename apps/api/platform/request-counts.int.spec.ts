import type { Logger } from '#lib/runtime/logger';
import { connectRedis } from '#lib/runtime/redis';
import { createRedis } from '../../../test/services.js';
import { tcpProxy } from '../../../test/tcp-proxy.js';
import { RequestCounts } from './request-counts.js';

it('requests are counted for all processes, and for each alone without a wait while Redis is silent', async () => {
  const way = await tcpProxy(new URL((await createRedis()).url));
  const lines: string[] = [];
  const log = (_facts: unknown, text: string) => void lines.push(text);
  const logger = { warn: log, info: log } as unknown as Logger;
  const processes = [1, 2].map(() => connectRedis(way.url, 'producer', logger));
  await Promise.all(processes.map((redis) => new Promise((ready) => redis.once('ready', ready))));
  const [first, second] = processes.map((redis) => new RequestCounts(redis, logger)) as [RequestCounts, RequestCounts];
  const count = (counts: RequestCounts, key: string, most = 100): Promise<number> =>
    new Promise((resolve, reject) =>
      counts.incr(key, (error, result) => (error ? reject(error) : resolve(result!.current)), 60_000, most),
    );

  expect([await count(first, 'a'), await count(second, 'a'), await count(first, 'a')]).toEqual([1, 2, 3]);
  expect(await count(second, 'b')).toBe(1);
  expect((await Promise.all(Array.from({ length: 20 }, () => count(first, 'c')))).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, n) => n + 1),
  );
  way.silence();
  // What all processes counted goes on.
  expect(await Promise.all([count(first, 'a'), count(first, 'a'), count(first, 'new')])).toEqual([4, 5, 1]);
  expect([await count(first, 'a'), await count(second, 'a')]).toEqual([6, 3]);
  expect(lines.filter((line) => /counts its own/.test(line))).toHaveLength(2);
  for (const redis of processes) redis.disconnect();
  way.close();
});
