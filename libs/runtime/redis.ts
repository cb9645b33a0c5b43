import { Redis as RedisServer, type Cluster } from 'ioredis';
import type { Logger } from './logger.js';

/** A connection to Redis, or to all nodes of a Redis Cluster. */
export type Redis = RedisServer | Cluster;

const retryStrategy = (attempt: number): number => Math.min(100 * attempt, 1000);

/**
 * Connects to Redis. While Redis is down, a `producer` fails at once, so that its caller can decide what to do; a
 * `worker` waits until it is back; a `subscriber` waits too, and only listens.
 */
export function connectRedis(url: string, use: 'producer' | 'worker' | 'subscriber', logger: Logger): Redis {
  const redis = new RedisServer(url, {
    retryStrategy,
    maxRetriesPerRequest: use === 'producer' ? 1 : null,
    enableOfflineQueue: use !== 'producer',
    ...(use === 'producer' && { commandTimeout: 3000 }),
  });
  redis.on('connect', () => corkPerTurn(redis));
  let isDown = false;
  redis.on('error', (error: Error) => {
    if (!isDown) logger.warn({ use, error: error.message }, 'Redis is not reachable; trying again');
    isDown = true;
  });
  redis.on('ready', () => {
    if (isDown) logger.info({ use }, 'Redis is back');
    isDown = false;
  });
  return redis;
}

/**
 * Sends all commands of one turn of the event loop in one system call, as a system call costs more than most commands.
 * With this and the lean `fetch` of the providers, a worker takes 0.85 times the CPU (docs/decisions/speed.md).
 */
function corkPerTurn({ stream }: RedisServer): void {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  let isCorked = false;
  stream.write = ((...args: unknown[]) => {
    if (!isCorked) {
      isCorked = true;
      stream.cork();
      setImmediate(() => {
        isCorked = false;
        stream.uncork();
      });
    }
    return write(...args);
  }) as typeof stream.write;
}

/** Checks once that Redis answers. @throws the reason when it does not */
export async function pingRedis(url: string): Promise<void> {
  const redis = new RedisServer(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: 3000,
    commandTimeout: 3000,
  });
  let reason: Error | undefined;
  redis.on('error', (error: Error) => (reason = error));
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    throw reason ?? error;
  } finally {
    redis.disconnect();
  }
}
