import type { Redis } from 'ioredis';
import type { Server } from 'node:http';
import { createPool, type Pool } from '#lib/db/connection/pool';
import { createPrisma, type Prisma } from '#lib/db/connection/prisma';
import type { Env } from '#lib/runtime/env';
import type { Logger } from '#lib/runtime/logger';
import { connectRedis } from '#lib/runtime/redis';
import { Sealer } from '#lib/runtime/seal';
import { stopTracing } from '#lib/runtime/tracing/tracing';
import { END_WITHIN_MS, serveOn } from './serve-on.js';
import { SuiteStreams } from '../suites/suite-streams.js';
import { SuiteThreads } from '../suites/suite-threads.js';

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
  /** Set by whoever listens. */
  server: Server | undefined;
  /** The process wants no further connections. */
  ending = false;
  #breakingOff: NodeJS.Timeout | undefined;

  constructor(
    readonly env: Env,
    readonly logger: Logger,
  ) {
    this.pool = createPool(env.DATABASE_URL, env.TOOLMARK_DATABASE_POOL, logger);
    this.prisma = createPrisma(env.DATABASE_URL, 5);
    this.redis = connectRedis(env.REDIS_URL, 'producer', logger);
    this.sealer = new Sealer(env.TOOLMARK_SEALING_KEY);
  }

  /**
   * On SIGTERM an API is not ready from now on, serves on until load balancers have noticed, and then closes its
   * port and its sockets, and lets requests in hand end. On SIGINT, and when it is told again, nobody is waited for
   * but short requests.
   */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    this.ending = true;
    this.logger.info({ signal }, signal === 'SIGTERM' ? 'Not ready any more; serving on for some seconds' : 'Ending');
    const hurry = signal !== 'SIGTERM' || (await serveOn());
    if (hurry) this.suiteStreams.close();
    this.#breakingOff = setTimeout(() => this.#breakOff(), END_WITHIN_MS).unref();
    this.logger.info({ hurry }, 'Closing');
    await this.live?.close();
  }

  #breakOff(): void {
    this.logger.warn('Requests were still in hand; they are broken off');
    this.suiteStreams.close();
    this.server?.closeAllConnections();
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.#breakingOff);
    this.redis.disconnect();
    await this.suiteThreads.close();
    await this.prisma.$disconnect();
    await this.pool.end();
    await stopTracing();
  }
}
