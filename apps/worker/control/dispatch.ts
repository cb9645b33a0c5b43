import type { Pool } from '#lib/db/connection/pool';
import { dispatchLane, type BusyLane } from '#lib/db/engine/dispatch-lane';
import type { LaneQueues } from '#lib/queue/lane-queue';
import type { Logger } from '#lib/runtime/logger';
import type { LaneMeters } from '../health/worker-metrics.js';
import type { LaneWorkers } from '../items/lane-workers.js';
import { enqueue } from './enqueue.js';
import { isWorthFilling, slotsOfWorker, type LaneWindows } from './window.js';

/** Serves the lanes that have work, and fills their windows: items become in-flight rows first, then queue jobs. */
export class Dispatcher {
  constructor(
    readonly deps: {
      pool: Pool;
      queues: LaneQueues;
      laneWorkers: LaneWorkers;
      windows: LaneWindows;
      meters: LaneMeters;
      logger: Logger;
    },
  ) {}

  async dispatch(lane: BusyLane): Promise<void> {
    const { pool, laneWorkers, windows, meters } = this.deps;
    laneWorkers.serve(lane, slotsOfWorker(lane));
    if (lane.paused_at) return;
    const window = await windows.forLane(lane);
    const size = window.slots + window.ahead;
    meters.forLane(lane).setWindow(size);
    if (!isWorthFilling(lane, window)) return;
    const deliveries = await dispatchLane(pool, lane.id, size);
    if (deliveries.length) await enqueue(this.deps, lane.id, deliveries);
  }
}
