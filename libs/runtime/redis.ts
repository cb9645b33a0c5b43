import { Redis } from 'ioredis';
import type { Logger } from './logger.js';

const retryStrategy = (attempt: number): number => Math.min(100 * attempt, 1000);

/**
 * `producer` fails at once while Redis is down (a caller decides what to do without it); `worker` waits for it to
 * come back; `subscriber` waits too, and listens only.
 */
export function connectRedis(url: string, use: 'producer' | 'worker' | 'subscriber', logger: Logger): Redis {
  const redis = new Redis(url, {
    retryStrategy,
    maxRetriesPerRequest: use === 'producer' ? 1 : null,
    enableOfflineQueue: use !== 'producer',
    ...(use === 'producer' && { commandTimeout: 3000 }),
  });
  redis.on('connect', () => writeTogether(redis));
  let down = false;
  redis.on('error', (error: Error) => {
    if (!down) logger.warn({ use, error: error.message }, 'Redis is not reachable; trying again');
    down = true;
  });
  redis.on('ready', () => {
    if (down) logger.info({ use }, 'Redis is back');
    down = false;
  });
  return redis;
}

/** Lets the commands of one turn of the event loop leave in one system call, which costs more than most commands. */
function writeTogether({ stream }: Redis): void {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  let corked = false;
  stream.write = ((...args: unknown[]) => {
    if (!corked) {
      corked = true;
      stream.cork();
      setImmediate(() => {
        corked = false;
        stream.uncork();
      });
    }
    return write(...args);
  }) as typeof stream.write;
}

/** Throws the reason at once unless Redis answers. */
export async function pingRedis(url: string): Promise<void> {
  const redis = new Redis(url, {
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
