import type { Redis } from 'ioredis';
import type { Pool } from '#lib/db/pool';
import { LaneBudget, type BudgetLimits } from '#lib/queue/lane-budget';
import type { LaneMeters } from './worker-metrics.js';

/** The budgets of the lanes that this process asks for, one each. */
export class LaneBudgets {
  readonly #budgets = new Map<string, LaneBudget>();

  constructor(readonly pool: Pool, readonly redis: Redis, readonly meters: LaneMeters) {}

  /** The budget of a lane, under the limits given here from now on. */
  of(lane: BudgetLimits & { id: string; name: string }): LaneBudget {
    const known = this.#budgets.get(lane.id);
    if (known) {
      known.limits = lane;
      return known;
    }
    const budget = new LaneBudget(this.redis, lane.id, lane, async () => {
      const { rows } = await this.pool.query(
        `SELECT 1 FROM in_flight WHERE lane_id = $1 AND worker IS NOT NULL AND queued_at < now() - interval '2 s' LIMIT 1`, [lane.id]);
      return rows.length > 0;
    }, (reason, seconds) => this.meters.of(lane).waited(reason, seconds));
    this.#budgets.set(lane.id, budget);
    return budget;
  }

  /** Turns away whoever waits for a permit, now and from now on. */
  refuse(reason: Error): void {
    for (const budget of this.#budgets.values()) budget.refuse(reason);
  }

  close(): void {
    for (const budget of this.#budgets.values()) budget.close();
  }
}
