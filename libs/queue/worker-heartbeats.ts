import { FIRST_WORKER_LEVEL } from '#lib/contracts/worker-level';
import type { Redis } from '#lib/runtime/redis';

/** A sorted set of workers, each with its level, by the time of their last heartbeat in ms by the clock of Redis. */
const KEY = 'toolmark:workers';
/** A worker without a heartbeat for this long does not count. */
const MAX_SILENCE_MS = 15_000;

/** Interval of a worker's heartbeats: two of them may be lost or late. */
export const HEARTBEAT_MS = 5000;

/** The clocks of machines differ, so the clock of Redis is used. */
async function redisNow(redis: Redis): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
}

/** A worker of a release without levels registers only its id. */
const memberOf = ({ workerId, level }: AliveWorker): string => `${workerId} level ${level}`;
const levelOf = (name: string): number => Number(/ level (\d+)$/.exec(name)?.[1] ?? FIRST_WORKER_LEVEL);

export interface AliveWorker {
  workerId: string;
  /** The level of work that it can play, score and decide. */
  level: number;
}

/** Records a worker's heartbeat, and removes silent workers. @throws when Redis cannot be reached */
export async function heartbeat(redis: Redis, worker: AliveWorker): Promise<void> {
  const now = await redisNow(redis);
  await redis
    .multi()
    .zadd(KEY, now, memberOf(worker))
    .zremrangebyscore(KEY, '-inf', now - MAX_SILENCE_MS)
    .pexpire(KEY, MAX_SILENCE_MS)
    .exec();
}

/** Records that a worker no longer takes work. @throws when Redis cannot be reached */
export async function removeWorker(redis: Redis, worker: AliveWorker): Promise<void> {
  await redis.zrem(KEY, memberOf(worker));
}

/** The levels of the workers with a recent heartbeat. @throws when Redis cannot be reached */
export async function aliveLevels(redis: Redis): Promise<number[]> {
  return (await redis.zrangebyscore(KEY, (await redisNow(redis)) - MAX_SILENCE_MS, '+inf')).map(levelOf);
}
