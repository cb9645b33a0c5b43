import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { EventEmitter, once } from 'node:events';
import { listen } from '#lib/events/notifications';
import type { Env } from '#lib/runtime/env';
import type { Logger } from '#lib/runtime/logger';
import { connectRedis, type Redis } from '#lib/runtime/redis';
import { ENV, LOGGER } from './stores.js';

/**
 * Signals which jobs changed, in any process. Notifications are hints and may get lost: listeners also poll Postgres
 * now and then.
 */
@Injectable()
export class JobNotifications implements OnApplicationShutdown {
  readonly #subscriber: Redis;
  readonly #changes = new EventEmitter().setMaxListeners(0);
  readonly #all = new Set<(id: string) => void>();

  constructor(@Inject(ENV) env: Env, @Inject(LOGGER) logger: Logger) {
    this.#subscriber = connectRedis(env.REDIS_URL, 'subscriber', logger);
    void listen(this.#subscriber, ['job'], ({ id }) => {
      this.#changes.emit(`of ${id}`);
      for (const heard of this.#all) heard(id);
    });
  }

  /** @param heard called with the id of a job or of its run */
  hearAll(heard: (id: string) => void): void {
    this.#all.add(heard);
  }

  /** Resolves at the next change of the job or run with this id, or when the signal aborts. */
  async next(id: string, signal: AbortSignal): Promise<void> {
    await once(this.#changes, `of ${id}`, { signal }).catch(() => {});
  }

  onApplicationShutdown(): void {
    this.#subscriber.disconnect();
  }
}
