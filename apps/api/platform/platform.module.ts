import {
  Global,
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { findTeamIds } from '#lib/db/catalogue/teams';
import { createPool, type Pool } from '#lib/db/connection/pool';
import { flushNotifications } from '#lib/events/notifications';
import type { Env } from '#lib/runtime/env';
import type { Logger } from '#lib/runtime/logger';
import { connectRedis, type Redis } from '#lib/runtime/redis';
import { OperatorKeys } from '#lib/runtime/key-refs/operator-keys';
import { Sealer } from '#lib/runtime/seal';
import { stopTracing } from '#lib/runtime/tracing/tracing';
import { AnswerMemory } from './answer-memory.js';
import { badInput } from './bad-input.js';
import { CallerLimits } from './caller-limits.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { ProblemFilter } from './problem.filter.js';
import { Refusals } from './refusals.js';
import { JobNotifications } from './job-notifications.js';
import { KnownCallers } from './known-callers.js';
import { Shutdown } from './shutdown.js';
import { ENV, KEY_REFS, LOGGER, POOL, REDIS } from './stores.js';
import { ValidationPipe } from './validation.pipe.js';
import { WorkersMissing } from './workers-missing.js';

export interface PlatformOptions {
  env: Env;
  logger: Logger;
}

/** The stores, and what applies to all routes. Every feature module depends on it. */
@Global()
@Module({
  providers: [
    CallerLimits,
    JobNotifications,
    KnownCallers,
    Refusals,
    Shutdown,
    WorkersMissing,
    {
      provide: POOL,
      inject: [ENV, LOGGER],
      useFactory: (env: Env, logger: Logger) => createPool(env.DATABASE_URL, env.TOOLMARK_DATABASE_POOL, logger),
    },
    {
      provide: REDIS,
      inject: [ENV, LOGGER],
      useFactory: (env: Env, logger: Logger) => connectRedis(env.REDIS_URL, 'producer', logger),
    },
    {
      provide: AnswerMemory,
      inject: [ENV],
      useFactory: ({ TOOLMARK_ANSWERS_MIB: mib }: Env) =>
        new AnswerMemory({ process: mib * 2 ** 20, team: (mib * 2 ** 20) / 4 }),
    },
    { provide: Sealer, inject: [ENV], useFactory: (env: Env) => Sealer.of(env) },
    {
      provide: KEY_REFS,
      inject: [ENV, LOGGER],
      useFactory: ({ TOOLMARK_KEY_REFS_FILE: file }: Env, logger: Logger) => OperatorKeys.read({ file, logger }),
    },
    { provide: APP_PIPE, useFactory: () => new ValidationPipe({ exceptionFactory: badInput }) },
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
  ],
  exports: [
    AnswerMemory,
    CallerLimits,
    JobNotifications,
    KEY_REFS,
    KnownCallers,
    POOL,
    REDIS,
    Refusals,
    Sealer,
    Shutdown,
    WorkersMissing,
  ],
})
export class PlatformModule implements OnApplicationBootstrap, OnApplicationShutdown {
  static forRoot({ env, logger }: PlatformOptions): DynamicModule {
    return {
      module: PlatformModule,
      providers: [
        { provide: ENV, useValue: env },
        { provide: LOGGER, useValue: logger },
      ],
      exports: [ENV, LOGGER],
    };
  }

  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
    @Inject(KEY_REFS) readonly keyRefs: OperatorKeys,
    readonly refusals: Refusals,
  ) {}

  /** Called by Nest before the port is opened. */
  onApplicationBootstrap(): Promise<void> {
    return this.keyRefs.watch((names) => findTeamIds(this.pool, names));
  }

  /** Called by Nest when the port is closed and all requests have ended. */
  async onApplicationShutdown(): Promise<void> {
    this.keyRefs.close();
    await this.refusals.flush();
    await flushNotifications(this.redis);
    this.redis.disconnect();
    await this.pool.end();
    await stopTracing();
  }
}
