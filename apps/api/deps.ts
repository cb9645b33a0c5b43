import type { Redis } from 'ioredis';
import { createPool, type Pool } from '#lib/db/pool';
import { createPrisma, type Prisma } from '#lib/db/prisma';
import type { Env } from '#lib/runtime/env';
import type { Logger } from '#lib/runtime/logger';
import { connectRedis } from '#lib/runtime/redis';
import { Sealer } from '#lib/runtime/seal';
import { stopTracing } from '#lib/runtime/tracing';
import { SuiteStreams } from './suite-streams.js';
import { SuiteThreads } from './suite-threads.js';

/** What every part of the API stands on; one per process. */
export class Deps {
  readonly pool: Pool;
  readonly prisma: Prisma;
  readonly redis: Redis;
  readonly sealer: Sealer;
  readonly suiteThreads = new SuiteThreads();
  readonly suiteStreams = new SuiteStreams();
  /** Set by whoever serves sockets; closed before the server, which waits for their connections. */
  live: { close(): Promise<void> } | undefined;
  /** The process serves what it has, and wants nothing more. */
  ending = false;

  constructor(readonly env: Env, readonly logger: Logger) {
    this.pool = createPool(env.DATABASE_URL, env.TOOLMARK_DATABASE_POOL, logger);
    this.prisma = createPrisma(env.DATABASE_URL, 5);
    this.redis = connectRedis(env.REDIS_URL, 'producer', logger);
    this.sealer = new Sealer(env.TOOLMARK_SEALING_KEY);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.suiteStreams.close();
    await this.live?.close();
  }

  async onApplicationShutdown(): Promise<void> {
    this.redis.disconnect();
    await this.suiteThreads.close();
    await this.prisma.$disconnect();
    await this.pool.end();
    await stopTracing();
  }
}
