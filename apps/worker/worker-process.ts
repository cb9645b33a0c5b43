import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { retryTransient, type Pool } from '#lib/db/connection/pool';
import { listen, notify } from '#lib/events/notifications';
import { LaneQueues } from '#lib/queue/lane-queue';
import type { Env } from '#lib/runtime/env';
import { newId } from '#lib/runtime/ids';
import type { Logger } from '#lib/runtime/logger';
import { connectRedis } from '#lib/runtime/redis';
import { stopTracing } from '#lib/runtime/tracing/tracing';
import { ControlLoop, Locks } from './control/control-loop.js';
import { ItemKit } from './items/item-kit.js';
import { ClaimedItems } from './items/claimed-items.js';
import { LaneWorkers } from './items/lane-workers.js';
import { Liveness } from './health/liveness.js';
import { Quarantine } from './items/quarantine.js';
import { LaneMeters } from './health/worker-metrics.js';

/**
 * A worker that cannot end in order so long after it was drained, because the stores are gone, ends all the same:
 * its items' leases run out.
 */
const GIVE_UP_MS = 10_000;

/** A worker process: everything it holds, in the order it starts; it stops in the opposite one. */
export class WorkerProcess implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly id = `worker-${newId()}`;
  readonly pool: Pool;
  readonly redis: Redis;
  readonly #subscriber;
  readonly #kit;
  readonly #items;
  readonly #workers;
  readonly #locks;
  readonly #control;
  readonly liveness;
  stopping = false;

  constructor(
    readonly env: Env,
    readonly logger: Logger,
  ) {
    const meters = new LaneMeters();
    this.#kit = new ItemKit(env, logger, {
      meters,
      connections: env.TOOLMARK_DATABASE_POOL,
      onAttempt: (laneId, failure, seconds) => meters.find(laneId)?.attempted(failure?.kind, seconds),
    });
    const { pool, redis, runs, budgets, embedder, scorer, runner } = this.#kit;
    [this.pool, this.redis] = [pool, redis];
    this.#subscriber = connectRedis(env.REDIS_URL, 'subscriber', logger);
    this.#items = new ClaimedItems(pool, this.id, logger);
    this.liveness = new Liveness({ pool, redis, meters, logger });
    this.#workers = new LaneWorkers({
      pool,
      budgets,
      meters,
      connect: () => connectRedis(env.REDIS_URL, 'worker', logger),
      worker: this.id,
      logger,
      runner,
      items: this.#items,
      quarantine: new Quarantine(logger),
      onSettled: (moved) => {
        this.#control.wake('dispatch');
        if ([...moved.values()].some(({ ended }) => ended)) this.#control.wake('finish');
        for (const runId of moved.keys()) void notify(redis, { topic: 'job', id: runId });
      },
    });
    this.#locks = new Locks(env.DATABASE_URL, logger);
    this.#control = new ControlLoop({
      pool,
      locks: this.#locks,
      redis,
      queues: new LaneQueues(redis),
      workers: this.#workers,
      budgets,
      runs,
      meters,
      embedder,
      scorer,
      worker: this.id,
      logger,
      keepExchangesDays: env.TOOLMARK_KEEP_EXCHANGES_DAYS,
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await retryTransient(() => this.pool.query('SELECT 1 FROM in_flight LIMIT 1'));
    await this.#subscriber.ping();
    await listen(this.#subscriber, ({ topic, id }) => {
      if (topic === 'lane') {
        this.#control.wake('dispatch');
        this.#control.wake('prepare');
      }
      if (topic === 'cancel') this.#items.stopRun(id);
      if (topic === 'provider') void this.#kit.connections.refresh();
    });
    this.#control.start();
    this.liveness.start();
  }

  /**
   * Takes nothing new and lets what is in hand end; what does not is handed back in the last second, before the
   * process is gone.
   */
  lastResort(endsInMs: number): void {
    this.stopping = true;
    void this.#workers.drain(endsInMs - 1000).catch(() => {});
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    const drainMs = this.env.TOOLMARK_DRAIN_SECONDS * 1000;
    setTimeout(() => {
      this.logger.error(
        { items: this.#items.size },
        'The worker could not end in order; it ends now, and others take over what it held',
      );
      process.exit(1);
    }, drainMs + GIVE_UP_MS).unref();
    this.liveness.stop();
    this.logger.info({ items: this.#items.size }, 'Draining: no new items, waiting for those in hand');
    // Claims stop with the first call, before any step of the control loop is waited for.
    await Promise.all([this.#workers.drain(drainMs), this.#control.stop()]);
    await this.#kit.finish();
  }

  async onApplicationShutdown(): Promise<void> {
    this.#subscriber.disconnect();
    await this.#kit.close();
    await this.#locks.close();
    await stopTracing();
    this.logger.info('Stopped');
  }
}
