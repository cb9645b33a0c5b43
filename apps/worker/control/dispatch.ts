import type { Pool } from '#lib/db/connection/pool';
import { laneLoads, type LoadedLane } from '#lib/db/engine/busy-lanes';
import { dispatchLane } from '#lib/db/engine/dispatch-lane';
import type { LaneQueues } from '#lib/queue/lane-queue';
import type { Logger } from '#lib/runtime/logger';
import type { Fleet } from '../fleet/fleet.js';
import type { LaneMeters } from '../health/worker-metrics.js';
import { enqueue } from './enqueue.js';
import type { LaneServer } from './serve-lanes.js';
import { isWorthFilling, serversOf, type LaneWindows } from './window.js';

/** The servers of a lane take turns dispatching it, so that ten of them query Postgres no more often than one. */
const MAX_TURNS = 10;

/**
 * Fills the windows of lanes that may have room: items become in-flight rows first, then queue jobs. Whoever learns of
 * room or of work dispatches, mostly the worker that has just settled an item of the lane; its owner looks from time to
 * time.
 */
export class Dispatcher {
  #due = new Set<string>();
  #turns = 1;

  constructor(
    readonly deps: {
      pool: Pool;
      queues: LaneQueues;
      fleet: Fleet;
      laneServer: LaneServer;
      windows: LaneWindows;
      meters: LaneMeters;
      logger: Logger;
    },
  ) {}

  /** How many workers share the turns of the lanes that were dispatched last. */
  get turns(): number {
    return this.#turns;
  }

  /** Has the next turn look at these lanes. */
  markDue(laneIds: Iterable<string>): void {
    for (const id of laneIds) this.#due.add(id);
  }

  /** The lanes to look at, with their loads. */
  async takeDue(): Promise<LoadedLane[]> {
    const due = this.#due;
    if (due.size === 0) return [];
    this.#due = new Set();
    try {
      const lanes = await laneLoads(this.deps.pool, [...due]);
      const servers = lanes.map((lane) => serversOf(lane, this.deps.fleet.size));
      this.#turns = Math.min(MAX_TURNS, Math.max(1, ...servers));
      return lanes;
    } catch (error) {
      this.markDue(due);
      throw error;
    }
  }

  async dispatch(lane: LoadedLane): Promise<void> {
    const { pool, fleet, laneServer, windows, meters } = this.deps;
    laneServer.serve(fleet.shareOf(lane));
    if (lane.paused_at) return;
    const window = await windows.forLane(lane);
    const size = window.slots + window.ahead;
    meters.find(lane.id)?.setWindow(size);
    if (!isWorthFilling(lane, window)) return;
    const deliveries = await dispatchLane(pool, lane.id, size);
    if (deliveries.length) await enqueue(this.deps, lane.id, deliveries);
  }
}
