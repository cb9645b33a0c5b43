import type { Redis } from 'ioredis';
import type { LaneLimits } from '#lib/db/dispatch-lane';
import type { Pool } from '#lib/db/pool';
import { LaneBudget } from '#lib/queue/lane-budget';

/** The budgets of the lanes that this process asks for, one each. */
export class LaneBudgets {
  readonly #budgets = new Map<string, LaneBudget>();

  constructor(readonly pool: Pool, readonly redis: Redis) {}

  /** The budget of a lane, under the limits given here from now on. */
  of(lane: Pick<LaneLimits, 'id' | 'requests_per_minute' | 'tokens_per_minute' | 'max_concurrency'>): LaneBudget {
    const known = this.#budgets.get(lane.id);
    if (known) {
      known.limits = lane;
      return known;
    }
    const budget = new LaneBudget(this.redis, lane.id, lane, async () => {
      const { rows } = await this.pool.query(
        `SELECT 1 FROM in_flight WHERE lane_id = $1 AND worker IS NOT NULL AND queued_at < now() - interval '2 s' LIMIT 1`, [lane.id]);
      return rows.length > 0;
    });
    this.#budgets.set(lane.id, budget);
    return budget;
  }

  close(): void {
    for (const budget of this.#budgets.values()) budget.close();
  }
}
