import { createPool } from '#lib/db/connection/pool';
import { egressOf } from '#lib/egress/egress';
import { flushNotifications } from '#lib/events/notifications';
import { createGuardedFetch } from '#lib/providers/guarded/guarded-fetch';
import { ReplyMemoryPool } from '#lib/providers/guarded/reply-memory';
import type { Env } from '#lib/runtime/env';
import type { Logger } from '#lib/runtime/logger';
import { connectRedis } from '#lib/runtime/redis';
import type { KeyRefs } from '#lib/runtime/key-refs';
import { Sealer } from '#lib/runtime/seal';
import { Embedder } from './embeddings/embedder.js';
import type { LaneMeters } from './health/worker-metrics.js';
import { ReplyScorer } from './scoring/score-reply.js';
import { CasePlayer, type OnAttempt } from './items/play-and-score.js';
import { Connections } from './models/connections.js';
import { FirstRequests } from './models/first-requests.js';
import { RequestTurns } from './models/request-turns.js';
import { LaneBudgets } from './models/lane-budgets.js';
import { ReplyCache } from './items/reply-cache.js';
import { RoundStore } from './items/round-store.js';
import { RunCache } from './items/run-cache.js';
import { ItemRunner } from './items/run-item.js';
import { RunWarnings } from './items/run-warnings.js';
import { ItemScorer } from './items/score-item.js';

interface ItemOptions {
  keyRefs: KeyRefs;
  meters: LaneMeters;
  /** To Postgres. */
  maxConnections: number;
  onAttempt: OnAttempt;
}

/** Everything needed to run items, composed in plain code: once per worker, and once in each quarantine process. */
export function composeItems(env: Env, logger: Logger, { keyRefs, meters, maxConnections, onAttempt }: ItemOptions) {
  const pool = createPool(env.DATABASE_URL, maxConnections, logger);
  const redis = connectRedis(env.REDIS_URL, 'producer', logger);
  const guarded = createGuardedFetch({ egress: egressOf(env) });
  const secrets = { sealer: Sealer.of(env), keyRefs };

  const runs = new RunCache(pool);
  const connections = new Connections(pool, secrets, guarded.fetch);
  const budgets = new LaneBudgets(pool, redis, meters);
  const embedder = new Embedder({ pool, secrets, fetch: guarded.fetch, budgets });
  const replies = new ReplyCache({ pool, redis, logger });
  const scorer = new ReplyScorer(logger);
  const warnings = new RunWarnings(pool);
  const itemScorer = new ItemScorer({ scorer, embedder, logger });
  const player = new CasePlayer({
    pool,
    redis,
    connections,
    firstRequests: new FirstRequests(redis),
    turns: new RequestTurns(),
    scorer,
    itemScorer,
    warnings,
    onAttempt,
    rounds: new RoundStore(pool, logger),
  });
  const runner = new ItemRunner({
    pool,
    runs,
    connections,
    replies,
    itemScorer,
    player,
    warnings,
    replyMemoryPool: ReplyMemoryPool.of(env.TOOLMARK_REPLIES_MIB),
  });

  return {
    pool,
    redis,
    sealer: secrets.sealer,
    runs,
    connections,
    budgets,
    embedder,
    scorer,
    runner,

    /** Call when no more items run. */
    async stop(): Promise<void> {
      connections.close();
      embedder.close();
      replies.close();
      await scorer.close();
    },

    /** Closes what the services share with the rest of the process. */
    async close(): Promise<void> {
      await flushNotifications(redis);
      redis.disconnect();
      await guarded.close();
      await pool.end();
    },
  };
}
