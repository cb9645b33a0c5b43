import { createLogger } from '#lib/runtime/logger';
import { NO_KEY_REFS } from '#lib/runtime/key-refs';
import { Sealer } from '#lib/runtime/seal';
import type { Pool } from '#lib/db/connection/pool';
import type { Delivery } from '#lib/db/engine/dispatch-lane';
import { ReplyMemoryPool } from '#lib/providers/guarded/reply-memory';
import { LaneMeters } from '../apps/worker/health/worker-metrics.js';
import { CasePlayer } from '../apps/worker/items/play-and-score.js';
import { DeliveryProcessor } from '../apps/worker/items/process-delivery.js';
import { RoundStore } from '../apps/worker/items/round-store.js';
import { RunCache } from '../apps/worker/items/run-cache.js';
import { ItemRunner } from '../apps/worker/items/run-item.js';
import { RunWarnings } from '../apps/worker/items/run-warnings.js';
import { ItemScorer } from '../apps/worker/items/score-item.js';
import { RequestTurns } from '../apps/worker/models/request-turns.js';
import { Settler } from '../apps/worker/items/settle.js';
import { Connections } from '../apps/worker/models/connections.js';
import { ReplyScorer } from '../apps/worker/scoring/score-reply.js';

interface Of {
  lane: { id: string; teamId: string };
  /** Answers requests as a host does. */
  fetch: (url: unknown, init?: { body?: unknown }) => Promise<Response>;
}

/** The part of a worker that claims, plays and settles an item, without queue, budget, leases and Redis. */
export function startItemWorker(pool: Pool, { lane: { id, teamId }, fetch }: Of) {
  const logger = createLogger('worker', 'silent');
  const secrets = { sealer: new Sealer(['ab'.repeat(32)]), keyRefs: NO_KEY_REFS };
  const connections = new Connections(pool, secrets, fetch as never);
  const scorer = new ReplyScorer(logger);
  const itemScorer = new ItemScorer({ scorer, embedder: {} as never, logger });
  const warnings = new RunWarnings(pool);
  const unlimited = { acquire: async () => ({ id: 'permit', tokens: 0 }), release: async () => false };
  const parts = { pool, redis: {} as never, connections, itemScorer, warnings };
  const player = new CasePlayer({
    ...{ ...parts, scorer, onAttempt: () => {}, rounds: new RoundStore(pool, logger) },
    firstRequests: { isAnswered: () => true, answered: () => {} } as never,
    turns: new RequestTurns(),
  });
  const processor = new DeliveryProcessor({
    ...{ pool, workerId: 'in process', logger, quarantine: {} as never },
    budgets: { forLane: () => unlimited } as never,
    runner: new ItemRunner({
      ...{ ...parts, player, replies: {} as never },
      runs: new RunCache(pool),
      replyMemoryPool: ReplyMemoryPool.of(64),
    }),
    settler: new Settler({ pool, logger, onSettled: () => {} }),
    items: {
      has: () => false,
      add: () => new AbortController().signal,
      remove: () => {},
      setActive: async () => {},
    } as never,
  });
  const lane = { teamId, meter: new LaneMeters().forLane({ id, name: 'lane' }), budget: {} as never };
  return {
    process: (delivery: Delivery): Promise<void> => processor.process(lane, delivery),
    close: async (): Promise<void> => {
      connections.close();
      await scorer.close();
    },
  };
}
