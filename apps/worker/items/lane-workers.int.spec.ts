import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import type { BusyLane } from '#lib/db/engine/busy-lanes';
import { LaneQueues, laneQueueName, QUEUE_PREFIX } from '#lib/queue/lane-queue';
import { createLogger } from '#lib/runtime/logger';
import { connectRedis } from '#lib/runtime/redis';
import { startRedis, type PrivateRedis } from '../../../test/services.js';
import { until } from '../../../test/until.js';
import { LaneMeters } from '../health/worker-metrics.js';
import type { LaneBudgets } from '../models/lane-budgets.js';
import { LaneWorkers } from './lane-workers.js';
import type { DeliveryProcessor } from './process-delivery.js';

const logger = createLogger('worker', 'silent');
const LEVEL = 1;
let server: PrivateRedis;
let redis: Redis;
let queues: LaneQueues;
const workers: LaneWorkers[] = [];
let tokens = 0;

beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis(server.url, 'producer', logger) as Redis;
  queues = new LaneQueues(redis);
  await until(() => redis.ping());
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.close();
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const lanes = (n: number): BusyLane[] =>
  Array.from({ length: n }, () => ({ id: randomUUID(), team_id: randomUUID(), name: '', levels: [LEVEL] })) as never;
const keyOf = (lane: BusyLane, type: string): string => `${QUEUE_PREFIX}:${laneQueueName(lane.id, LEVEL)}:${type}`;

/** Queues items in a lane. @returns their tokens */
async function enqueue(lane: BusyLane, n = 1): Promise<number[]> {
  const items = Array.from({ length: n }, () => ++tokens);
  const delivery = { runId: randomUUID(), target: 0, item: 0, level: LEVEL };
  await queues.add(
    lane.id,
    items.map((token) => ({ ...delivery, token })),
  );
  return items;
}

/** A worker process that notes the items it starts, and ends those that `hangs` does not keep. */
function startWorker(hangs: (laneId: string) => boolean = () => false) {
  const [started, ended] = [new Set<number>(), new Set<number>()];
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const process: DeliveryProcessor['process'] = async ({ meter }, { token }) => {
    started.add(token);
    if (hangs(meter.id)) await released;
    ended.add(token);
  };
  const laneWorkers = new LaneWorkers({
    budgets: { forLane: () => undefined, evict: () => {} } as unknown as LaneBudgets,
    meters: new LaneMeters(),
    connect: (use) => connectRedis(server.url, use, logger),
    processor: { process } as DeliveryProcessor,
    logger,
  });
  workers.push(laneWorkers);
  const starts = (items: number[]): Promise<boolean> => until(() => items.every((token) => started.has(token)));
  return { laneWorkers, started, ended, starts, release };
}

const connections = async (): Promise<number> => ((await redis.client('LIST')) as string).trim().split('\n').length;
/** The connection that waits for many lanes. */
const killFetching = async (): Promise<void> => {
  const lines = await until(async () =>
    ((await redis.client('LIST')) as string).split('\n').filter((line) => line.includes('cmd=bzpopmin')),
  );
  for (const line of lines) await redis.client('KILL', 'ID', /id=(\d+)/.exec(line)![1]!);
};

it('a worker takes items of 100 lanes over two connections; one that hangs or is damaged holds up none', async () => {
  const before = await connections();
  const all = lanes(100);
  const [hanging, damaged, ...others] = all as [BusyLane, BusyLane, ...BusyLane[]];
  const { laneWorkers, starts, release, started } = startWorker((id) => id === hanging.id);
  for (const lane of all) laneWorkers.serve(lane, 2);
  const hung = await enqueue(hanging, 3);
  await until(() => started.size === 2);
  await redis.set(keyOf(damaged, 'marker'), 'not a sorted set');
  await starts((await Promise.all(others.map((lane) => enqueue(lane)))).flat());
  expect(await connections()).toBe(before + 2);

  await redis.del(keyOf(damaged, 'marker'));
  await starts(await enqueue(damaged));
  release();
  await starts(hung);
});

it('every lane is fetched from again after Redis was flushed or killed, lost markers or cut a connection', async () => {
  const all = lanes(30);
  const { laneWorkers, starts } = startWorker();
  for (const lane of all) laneWorkers.serve(lane, 1);
  const enqueueAll = async (): Promise<number[]> => (await Promise.all(all.map((lane) => enqueue(lane)))).flat();
  const startsOne = async (): Promise<boolean> => starts(await enqueueAll());
  await startsOne();
  await server.flushAll();
  await startsOne();
  await killFetching();
  await startsOne();
  await server.restart();
  await until(() => redis.ping());
  await startsOne();
  // As if a process had popped the markers and died.
  laneWorkers.hold();
  const items = await enqueueAll();
  await redis.del(all.map((lane) => keyOf(lane, 'marker')));
  laneWorkers.resume();
  await starts(items);
});

it('a lane that ceases ends its items and takes no more, and can be served again at any time', async () => {
  const [lane] = lanes(1) as [BusyLane];
  const one = startWorker(() => true);
  one.laneWorkers.serve(lane, 2);
  const first = await enqueue(lane);
  await one.starts(first);
  const ceased = one.laneWorkers.cease(lane.id);
  const second = await enqueue(lane);
  const other = startWorker();
  other.laneWorkers.serve(lane, 1);
  await other.starts(second);
  expect(one.started.size).toBe(1);
  await other.laneWorkers.cease(lane.id);

  one.laneWorkers.serve(lane, 2);
  await one.starts(await enqueue(lane));
  void one.laneWorkers.cease(lane.id);
  one.release();
  await ceased;
  await until(() => one.ended.size === 2);
  for (let n = 0; n < 20; n++) {
    one.laneWorkers.serve(lane, 2);
    const items = await enqueue(lane);
    if (n % 2) await one.starts(items);
    const ceasing = one.laneWorkers.cease(lane.id);
    if (n % 3) await ceasing;
    one.laneWorkers.serve(lane, 2);
    await one.starts(items);
  }
  await until(async () => (await redis.llen(keyOf(lane, 'active'))) === 0);
});

it('a held worker leaves new items to others, also those that it waited for', async () => {
  const all = lanes(5);
  const [held, other] = [startWorker(), startWorker()];
  for (const lane of all) held.laneWorkers.serve(lane, 1);
  const enqueueAll = async (): Promise<number[]> => (await Promise.all(all.map((lane) => enqueue(lane)))).flat();
  await held.starts(await enqueueAll());
  held.laneWorkers.hold();
  const taken = held.started.size;
  const items = await enqueueAll();
  for (const lane of all) other.laneWorkers.serve(lane, 1);
  await other.starts(items);
  expect(held.started.size).toBe(taken);
  for (const lane of all) await other.laneWorkers.cease(lane.id);
  held.laneWorkers.resume();
  await held.starts(await enqueueAll());
});

it('jobs that a process took before it died are returned once their lock has run out', async () => {
  const [lane] = lanes(1) as [BusyLane];
  const items = await enqueue(lane);
  const dead = connectRedis(server.url, 'producer', logger);
  await until(() => dead.ping());
  await dead.lmove(keyOf(lane, 'wait'), keyOf(lane, 'active'), 'RIGHT', 'LEFT');
  await dead.del(keyOf(lane, 'marker'));
  dead.disconnect();
  const { laneWorkers, starts, started } = startWorker();
  laneWorkers.serve(lane, 1);
  await queues.returnStalled(lane.id, [LEVEL]); // Marks it: it may have been taken just now.
  expect(started.size).toBe(0);
  await redis.del(keyOf(lane, 'stalled-check'));
  await queues.returnStalled(lane.id, [LEVEL]);
  await starts(items);
});
