import type { Redis } from 'ioredis';

/** A sorted set of workers by when they were last heard of, in ms by the clock of Redis. */
const KEY = 'toolmark:workers';
/** A worker that has said nothing for this long does not count. */
const MAX_SILENCE_MS = 15_000;

/** How often a worker says that it works: two of its words may be lost or late. */
export const SAY_EVERY_MS = 5000;

/** The clocks of machines differ, so that of Redis counts. */
async function redisNow(redis: Redis): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
}

/** Notes that a worker works now, and forgets those that are silent. @throws when Redis cannot be reached */
export async function sayAlive(redis: Redis, workerId: string): Promise<void> {
  const now = await redisNow(redis);
  await redis
    .multi()
    .zadd(KEY, now, workerId)
    .zremrangebyscore(KEY, '-inf', now - MAX_SILENCE_MS)
    .pexpire(KEY, MAX_SILENCE_MS)
    .exec();
}

/** Notes that a worker takes nothing any more. @throws when Redis cannot be reached */
export async function sayGone(redis: Redis, workerId: string): Promise<void> {
  await redis.zrem(KEY, workerId);
}

/** How many workers have said lately that they work. @throws when Redis cannot be reached */
export async function countAlive(redis: Redis): Promise<number> {
  return redis.zcount(KEY, (await redisNow(redis)) - MAX_SILENCE_MS, '+inf');
}
