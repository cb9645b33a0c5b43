import { Cluster, Redis as RedisServer, type ClusterOptions, type RedisOptions } from 'ioredis';
import type { Logger } from './logger.js';
import { parseRedisUrl, type ClusterAddress, type SentinelAddress } from './redis-url.js';

/** A connection to a Redis server or to the master that Sentinels name, or connections to the nodes of a Cluster. */
export type Redis = RedisServer | Cluster;

type Use = 'producer' | 'worker' | 'subscriber';

const COMMAND_TIMEOUT_MS = 3000;
/**
 * A server that says nothing for this long is left. It must be shorter than a failover and the wait for permits after
 * it (`acquire.lua`): a master that was frozen and wakes up would grant permits besides the new one.
 */
const SILENCE_MS = 2000;
const retryStrategy = (attempt: number): number => Math.min(100 * attempt, 1000);

/**
 * Connects to Redis. While Redis is down, a `producer` fails at once, or within 3 s, so that its caller can decide what
 * to do; a `worker` waits until it is back; a `subscriber` waits too, and only listens. After a failover, all go on
 * with the new master.
 * @param url as REDIS_URL
 */
export function connectRedis(url: string, use: Use, logger: Logger): Redis {
  const isProducer = use === 'producer';
  const options = {
    maxRetriesPerRequest: isProducer ? 1 : null,
    ...(isProducer && { commandTimeout: COMMAND_TIMEOUT_MS, socketTimeout: SILENCE_MS }),
    // Its commands are sent again, which may take a job from a queue that nobody works on for some seconds.
    ...(use === 'worker' && { socketTimeout: 5 * SILENCE_MS }),
  };
  const redis = open(url, {
    server: { ...options, retryStrategy, enableOfflineQueue: !isProducer },
    sentinel: { sentinelRetryStrategy: retryStrategy, failoverDetector: true },
    cluster: {
      redisOptions: options,
      enableOfflineQueue: !isProducer,
      clusterRetryStrategy: retryStrategy,
      // Tries while a node is down, each after 100 ms.
      maxRedirections: isProducer ? 16 : Infinity,
    },
  });
  if (redis instanceof Cluster) redis.on('+node', (node: RedisServer) => node.on('connect', () => corkPerTurn(node)));
  else redis.on('connect', () => corkPerTurn(redis));
  let isDown = false;
  redis.on('error', (error: Error) => {
    if (!isDown) logger.warn({ use, error: causeOf(error).message }, 'Redis is not reachable; trying again');
    isDown = true;
  });
  redis.on('ready', () => {
    if (isDown) logger.info({ use }, 'Redis is back');
    isDown = false;
  });
  return redis;
}

interface Options {
  /** Of a connection to a server, which may be the master that Sentinels name. */
  server: RedisOptions;
  sentinel: RedisOptions;
  cluster: ClusterOptions;
}

function open(url: string, { server, sentinel, cluster }: Options): Redis {
  const address = parseRedisUrl(url);
  if (address.kind === 'server') return new RedisServer(url, server);
  if (address.kind === 'sentinel') return new RedisServer({ ...server, ...sentinel, ...sentinelOptions(address) });
  return openCluster(address, cluster);
}

const sentinelOptions = (address: SentinelAddress): RedisOptions => ({
  sentinels: address.nodes,
  name: address.master,
  db: address.database,
  username: address.username,
  password: address.password,
  sentinelUsername: address.sentinelUsername,
  sentinelPassword: address.sentinelPassword,
  sentinelCommandTimeout: COMMAND_TIMEOUT_MS,
  connectTimeout: COMMAND_TIMEOUT_MS,
  // A master that became a replica refuses writes: the command is repeated on the new master.
  reconnectOnError: ({ message }) => (message.includes('READONLY') ? 2 : false),
  ...(address.tls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
});

function openCluster({ nodes, username, password, tls }: ClusterAddress, options: ClusterOptions): Cluster {
  return new Cluster(nodes, {
    ...options,
    // Names are resolved at each connection, because a node may move, and certificates are issued for names.
    dnsLookup: (host, found) => found(null, host),
    redisOptions: {
      ...options.redisOptions,
      username,
      password,
      connectTimeout: COMMAND_TIMEOUT_MS,
      ...(tls && { tls: {} }),
    },
  });
}

/** What the last node said, of an error that only says that no node can be used. */
const causeOf = (error: Error & { lastNodeError?: Error }): Error => error.lastNodeError ?? error;

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

/** Checks once that Redis answers. @param url as REDIS_URL @throws the reason when it does not */
export async function pingRedis(url: string): Promise<void> {
  const once = { connectTimeout: COMMAND_TIMEOUT_MS, commandTimeout: COMMAND_TIMEOUT_MS };
  const redis = open(url, {
    server: { ...once, lazyConnect: true, retryStrategy: () => null },
    sentinel: { sentinelRetryStrategy: () => null },
    cluster: { redisOptions: once, lazyConnect: true, clusterRetryStrategy: () => null },
  });
  let reason: Error | undefined;
  redis.on('error', (error: Error) => (reason = causeOf(error)));
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    throw reason ?? error;
  } finally {
    redis.disconnect();
  }
}
