import { THROUGHPUT_MINUTES } from '#lib/contracts/lane';
import type { Redis } from '#lib/runtime/redis';

const MINUTE_MS = 60_000;
/** A minute is kept until it is older than all that are read, whatever the clocks of the machines say. */
const KEPT_S = (THROUGHPUT_MINUTES + 5) * 60;

/** The braces keep all keys of a lane in one slot of a Redis Cluster. */
const keyOf = (laneId: string, minute: number): string => `toolmark:{results-${laneId}}:${minute}`;
const minuteOf = (now: number): number => Math.floor(now / MINUTE_MS);

/** Adds results of lanes to the present minute. @throws when Redis cannot be reached */
export async function addResults(redis: Redis, results: ReadonlyMap<string, number>, now = Date.now()): Promise<void> {
  // Lanes may be on different nodes of a Cluster. The commands of one turn are sent together anyway.
  const added = [...results].map(([laneId, n]) => {
    const key = keyOf(laneId, minuteOf(now));
    return redis.pipeline().incrby(key, n).expire(key, KEPT_S).exec();
  });
  await Promise.all(added);
}

/** Results of a lane in each of the last minutes, the present one last. @throws when Redis cannot be reached */
export async function readResultsByMinute(redis: Redis, laneId: string, now = Date.now()): Promise<number[]> {
  const minutes = Array.from({ length: THROUGHPUT_MINUTES }, (_, n) => minuteOf(now) - THROUGHPUT_MINUTES + 1 + n);
  return (await redis.mget(minutes.map((minute) => keyOf(laneId, minute)))).map(Number);
}
