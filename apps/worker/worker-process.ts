import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { createPool, untilDone } from '#lib/db/pool';
import { listen, ring } from '#lib/events/doorbell';
import { createGuardedFetch } from '#lib/providers/guarded-fetch';
import { ReplyBudget } from '#lib/providers/reply-bytes';
import { LaneQueues } from '#lib/queue/lanes';
import type { Env } from '#lib/runtime/env';
import { newId } from '#lib/runtime/ids';
import type { Logger } from '#lib/runtime/logger';
import { connectRedis } from '#lib/runtime/redis';
import { Sealer } from '#lib/runtime/seal';
import { stopTracing } from '#lib/runtime/tracing';
import { ControlLoop } from './control-loop.js';
import { Embedder } from './embedder.js';
import { ItemsInHand } from './items-in-hand.js';
import { LaneBudgets } from './lane-budgets.js';
import { LaneWorkers } from './lane-workers.js';
import { Liveness } from './liveness.js';
import { ReplyCache } from './reply-cache.js';
import { RunCache } from './run-cache.js';
import { ItemRunner } from './run-item.js';
import { ReplyScorer } from './score-reply.js';
import { LaneMeters } from './worker-metrics.js';

/** How long requests in hand may take to end after SIGTERM: they cost money. */
const DRAIN_MS = 45_000;
/** A worker that cannot end in order, because the stores are gone, ends all the same: its items' leases run out. */
const GIVE_UP_MS = DRAIN_MS + 10_000;

/** A worker process: everything it holds, in the order it starts; it stops in the opposite one. */
export class WorkerProcess implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly id = `worker-${newId()}`;
  readonly pool;
  readonly redis;
  readonly #subscriber;
  readonly #fetch;
  readonly #queues;
  readonly #items;
  readonly #embedder;
  readonly #replies;
  readonly #scorer;
  readonly #workers;
  readonly #control;
  readonly liveness;
  stopping = false;

  constructor(env: Env, readonly logger: Logger) {
    this.pool = createPool(env.DATABASE_URL, env.TOOLMARK_DATABASE_POOL, logger);
    this.redis = connectRedis(env.REDIS_URL, 'producer', logger);
    this.#subscriber = connectRedis(env.REDIS_URL, 'subscriber', logger);
    this.#fetch = createGuardedFetch({ allowPrivateNetworks: env.TOOLMARK_ALLOW_PRIVATE_NETWORKS });
    this.#queues = new LaneQueues(this.redis);
    this.#items = new ItemsInHand(this.pool, this.id, logger);
    const sealer = new Sealer(env.TOOLMARK_SEALING_KEY);
    const runs = new RunCache(this.pool, sealer, this.#fetch.fetch);
    this.#replies = new ReplyCache({ pool: this.pool, redis: this.redis, logger });
    this.#scorer = new ReplyScorer(logger);
    const meters = new LaneMeters();
    this.liveness = new Liveness({ pool: this.pool, redis: this.redis, meters, logger });
    const budgets = new LaneBudgets(this.pool, this.redis, meters);
    this.#embedder = new Embedder({ pool: this.pool, sealer, fetch: this.#fetch.fetch, budgets });
    this.#workers = new LaneWorkers({
      pool: this.pool, budgets, meters, connect: () => connectRedis(env.REDIS_URL, 'worker', logger), worker: this.id, logger,
      items: this.#items,
      runner: new ItemRunner(this.pool, runs, this.#embedder, this.#replies, this.#scorer, new ReplyBudget(), (laneId, failure, seconds) => meters.find(laneId)?.attempted(failure, seconds)),
      onSettled: (moved) => {
        this.#control.wake('dispatch');
        if ([...moved.values()].some(({ ended }) => ended)) this.#control.wake('finish');
        for (const runId of moved.keys()) void ring(this.redis, { topic: 'job', id: runId });
      },
    });
    this.#control = new ControlLoop({ pool: this.pool, redis: this.redis, queues: this.#queues, workers: this.#workers, runs, meters, embedder: this.#embedder, scorer: this.#scorer, worker: this.id, logger, keepExchangesDays: env.TOOLMARK_KEEP_EXCHANGES_DAYS });
  }

  async onApplicationBootstrap(): Promise<void> {
    await untilDone(() => this.pool.query('SELECT 1 FROM in_flight LIMIT 1'));
    await this.#subscriber.ping();
    await listen(this.#subscriber, ({ topic, id }) => {
      if (topic === 'lane') this.#control.wake('dispatch');
      if (topic === 'cancel') this.#items.stopRun(id);
    });
    this.#control.start();
    this.liveness.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    setTimeout(() => {
      this.logger.error({ items: this.#items.size }, 'The worker could not end in order; it ends now, and others take over what it held');
      process.exit(1);
    }, GIVE_UP_MS).unref();
    this.liveness.stop();
    this.logger.info({ items: this.#items.size }, 'Draining: no new items, waiting for those in hand');
    await this.#control.stop();
    await this.#workers.drain(DRAIN_MS);
    this.#embedder.close();
    this.#replies.close();
    await this.#scorer.close();
  }

  async onApplicationShutdown(): Promise<void> {
    this.redis.disconnect();
    this.#subscriber.disconnect();
    await this.#fetch.close();
    await this.pool.end();
    await stopTracing();
    this.logger.info('Stopped');
  }
}
