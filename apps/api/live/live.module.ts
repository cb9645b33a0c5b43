import { Inject, Module, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Pool } from '#lib/db/connection/pool';
import type { Env } from '#lib/runtime/env';
import type { Logger } from '#lib/runtime/logger';
import { JobNotifications } from '../platform/job-notifications.js';
import { KnownCallers } from '../platform/known-callers.js';
import { Refusals } from '../platform/refusals.js';
import { Shutdown } from '../platform/shutdown.js';
import { ENV, LOGGER, POOL } from '../platform/stores.js';
import { LiveServer } from './live-server.js';

/** Socket.IO on the API's own HTTP server, from when the API starts until it closes its port. */
@Module({})
export class LiveModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  #server: LiveServer | undefined;

  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(LOGGER) readonly logger: Logger,
    @Inject(ENV) readonly env: Env,
    readonly callers: KnownCallers,
    readonly notifications: JobNotifications,
    readonly refusals: Refusals,
    readonly shutdown: Shutdown,
    readonly adapterHost: HttpAdapterHost,
  ) {}

  onApplicationBootstrap(): void {
    const { pool, logger, callers, env, refusals } = this;
    this.#server = new LiveServer({
      httpServer: this.adapterHost.httpAdapter.getHttpServer(),
      pool,
      callers,
      limits: { sockets: env.TOOLMARK_SOCKETS_PER_TOKEN, subscriptions: env.TOOLMARK_SUBSCRIPTIONS_PER_SOCKET },
      notifications: this.notifications,
      logger,
      refusals,
      isShuttingDown: () => !this.shutdown.isReady,
    });
  }

  /** Before Nest closes the HTTP server, which waits for the connections of sockets. */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    await this.shutdown.untilClosing(signal);
    await this.#server?.close();
  }
}
