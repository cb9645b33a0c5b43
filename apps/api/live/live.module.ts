import { Inject, Module, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Pool } from '#lib/db/connection/pool';
import type { Logger } from '#lib/runtime/logger';
import { JobNotifications } from '../platform/job-notifications.js';
import { Refusals } from '../platform/refusals.js';
import { Shutdown } from '../platform/shutdown.js';
import { LOGGER, POOL } from '../platform/stores.js';
import { LiveServer } from './live-server.js';

/** Socket.IO on the API's own HTTP server, from when the API starts until it closes its port. */
@Module({})
export class LiveModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  #server: LiveServer | undefined;

  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(LOGGER) readonly logger: Logger,
    readonly notifications: JobNotifications,
    readonly refusals: Refusals,
    readonly shutdown: Shutdown,
    readonly adapterHost: HttpAdapterHost,
  ) {}

  onApplicationBootstrap(): void {
    const { pool, logger, refusals } = this;
    this.#server = new LiveServer({
      httpServer: this.adapterHost.httpAdapter.getHttpServer(),
      pool,
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
