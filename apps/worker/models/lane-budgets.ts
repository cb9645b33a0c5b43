import type { Pool } from '#lib/db/connection/pool';
import { LANE_OF_ITEM } from '#lib/db/lane-of-item';
import { LaneBudget } from '#lib/queue/budget/lane-budget';
import type { BudgetLimits } from '#lib/queue/budget/limits';
import type { Redis } from '#lib/runtime/redis';
import type { LaneMeters } from '../health/worker-metrics.js';

/** The budgets of the lanes that this process takes permits from, one each. */
export class LaneBudgets {
  readonly #budgets = new Map<string, { budget: LaneBudget; usedAt: number }>();
  #draining: Error | undefined;

  constructor(
    readonly pool: Pool,
    readonly redis: Redis,
    readonly meters: LaneMeters,
  ) {}

  /** The budget of a lane, with its limits updated to the given ones. */
  forLane(lane: BudgetLimits & { id: string; name: string }): LaneBudget {
    const known = this.#budgets.get(lane.id);
    if (known) {
      known.usedAt = performance.now();
      known.budget.limits = lane;
      return known.budget;
    }
    const budget = new LaneBudget(
      this.redis,
      lane.id,
      lane,
      () => this.#isInUse(lane.id),
      (reason, seconds) => this.meters.forLane(lane).recordWait(reason, seconds),
    );
    this.#budgets.set(lane.id, { budget, usedAt: performance.now() });
    if (this.#draining) budget.drain(this.#draining);
    return budget;
  }

  /**
   * Whether requests may be in flight in the fleet. They are not if the lane has settled nothing and its first items
   * were only just queued.
   */
  async #isInUse(laneId: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `SELECT 1 FROM in_flight i JOIN target t ON t.run_id = i.run_id AND t.ordinal = i.target
       WHERE ${LANE_OF_ITEM} = $1 AND i.worker IS NOT NULL AND (i.queued_at < now() - interval '2 s' OR t.settled > 0)
       LIMIT 1`,
      [laneId],
    );
    return rowCount === 1;
  }

  /** Lanes that have not been used here for this long, and have no waiting or active request. */
  idleFor(ms: number): string[] {
    return [...this.#budgets]
      .filter(([, { budget, usedAt }]) => budget.isIdle && usedAt <= performance.now() - ms)
      .map(([laneId]) => laneId);
  }

  /** Forgets the budget of a lane; the next caller gets a new one. */
  evict(laneId: string): void {
    this.#budgets.get(laneId)?.budget.close();
    this.#budgets.delete(laneId);
  }

  /** From now on, rejects requests of items that have not started. Items in progress still get their permits. */
  drain(reason: Error): void {
    this.#draining = reason;
    for (const { budget } of this.#budgets.values()) budget.drain(reason);
  }

  close(): void {
    for (const { budget } of this.#budgets.values()) budget.close();
  }
}
