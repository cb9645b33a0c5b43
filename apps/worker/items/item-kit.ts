import type { Redis } from 'ioredis';
import { createPool, type Pool } from '#lib/db/connection/pool';
import { createGuardedFetch } from '#lib/providers/guarded/guarded-fetch';
import { ReplyMemoryPool } from '#lib/providers/reply-memory';
import type { Env } from '#lib/runtime/env';
import type { Logger } from '#lib/runtime/logger';
import { connectRedis } from '#lib/runtime/redis';
import { Sealer } from '#lib/runtime/seal';
import { Connections } from './connections.js';
import { Embedder } from '../embeddings/embedder.js';
import { LaneBudgets } from './lane-budgets.js';
import { ReplyCache } from './reply-cache.js';
import { RunCache } from './run-cache.js';
import { ItemRunner } from './run-item.js';
import { ReplyScorer } from '../scoring/score-reply.js';
import type { LaneMeters } from '../health/worker-metrics.js';

/** All that items are played with; a worker has one, and so has the process of an item in quarantine. */
export class ItemKit {
  readonly pool: Pool;
  readonly redis: Redis;
  readonly runs: RunCache;
  readonly connections: Connections;
  readonly budgets: LaneBudgets;
  readonly embedder: Embedder;
  readonly scorer: ReplyScorer;
  readonly runner: ItemRunner;
  readonly #fetch;
  readonly #replies;

  /** @param of.connections to Postgres, at most */
  constructor(
    env: Env,
    logger: Logger,
    {
      meters,
      connections,
      onAttempt,
    }: { meters: LaneMeters; connections: number; onAttempt: ItemRunner['of']['onAttempt'] },
  ) {
    this.pool = createPool(env.DATABASE_URL, connections, logger);
    this.redis = connectRedis(env.REDIS_URL, 'producer', logger);
    this.#fetch = createGuardedFetch({ allowPrivateNetworks: env.TOOLMARK_ALLOW_PRIVATE_NETWORKS });
    const sealer = new Sealer(env.TOOLMARK_SEALING_KEY);
    const { fetch } = this.#fetch;
    this.runs = new RunCache(this.pool);
    this.connections = new Connections(this.pool, sealer, fetch);
    this.budgets = new LaneBudgets(this.pool, this.redis, meters);
    this.embedder = new Embedder({ pool: this.pool, sealer, fetch, budgets: this.budgets });
    this.#replies = new ReplyCache({ pool: this.pool, redis: this.redis, logger });
    this.scorer = new ReplyScorer(logger);
    this.runner = new ItemRunner({
      pool: this.pool,
      runs: this.runs,
      connections: this.connections,
      embedder: this.embedder,
      replies: this.#replies,
      scorer: this.scorer,
      replyBudget: new ReplyMemoryPool(),
      logger,
      onAttempt,
    });
  }

  /** When no item is played any more. */
  async finish(): Promise<void> {
    this.connections.close();
    this.embedder.close();
    this.#replies.close();
    await this.scorer.close();
  }

  async close(): Promise<void> {
    this.redis.disconnect();
    await this.#fetch.close();
    await this.pool.end();
  }
}
