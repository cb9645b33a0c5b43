import type { Pool } from '#lib/db/connection/pool';
import { missingLanes } from '#lib/db/upkeep/unused-lanes';
import type { LaneQueues } from '#lib/queue/lane-queue';
import type { Logger } from '#lib/runtime/logger';
import type { LaneBudgets } from '../models/lane-budgets.js';
import type { LaneWorkers } from '../items/lane-workers.js';
import type { LaneWindows } from './window.js';

/** How long an idle lane is kept for its next item. */
const IDLE_LANE_MS = 5 * 60_000;

/** Stops serving lanes: deleted ones immediately, idle ones after some minutes. */
export class LaneEvictor {
  constructor(
    readonly deps: {
      pool: Pool;
      budgets: LaneBudgets;
      laneWorkers: LaneWorkers;
      queues: LaneQueues;
      windows: LaneWindows;
      logger: Logger;
    },
  ) {}

  /** @param busy lanes that have work */
  async evictIdle(busy: ReadonlySet<string>): Promise<void> {
    const { pool, budgets, laneWorkers, queues, windows, logger } = this.deps;
    const idle = budgets.idleFor(0).filter((id) => !busy.has(id));
    if (idle.length === 0) return;
    const longIdle = budgets.idleFor(IDLE_LANE_MS).filter((id) => !busy.has(id));
    for (const id of new Set([...(await missingLanes(pool, idle)), ...longIdle])) {
      windows.evict(id);
      // Not awaited: closing a queue takes long while Redis is down.
      void Promise.all([laneWorkers.evict(id), queues.evict(id)]).catch((error: Error) =>
        logger.warn({ lane: id, error: error.message }, 'A lane could not be closed'),
      );
    }
  }
}
