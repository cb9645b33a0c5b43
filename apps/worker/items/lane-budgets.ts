import type { Redis } from 'ioredis';
import type { Pool } from '#lib/db/connection/pool';
import { LaneBudget } from '#lib/queue/budget/lane-budget';
import type { BudgetLimits } from '#lib/queue/budget/limits';
import type { LaneMeters } from '../health/worker-metrics.js';

/** The budgets of the lanes that this process asks for, one each. */
export class LaneBudgets {
  readonly #budgets = new Map<string, { budget: LaneBudget; usedAt: number }>();
  #refusal: Error | undefined;

  constructor(
    readonly pool: Pool,
    readonly redis: Redis,
    readonly meters: LaneMeters,
  ) {}

  /** The budget of a lane, under the limits given here from now on. */
  of(lane: BudgetLimits & { id: string; name: string }): LaneBudget {
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
      async () => {
        const { rows } = await this.pool.query(
          // The very first items of a lane are claimed just now, and nothing is settled: then Redis has nothing to
          // know yet.
          `SELECT 1 FROM in_flight f JOIN target t ON t.run_id = f.run_id AND t.ordinal = f.target
         WHERE f.lane_id = $1 AND f.worker IS NOT NULL AND (f.queued_at < now() - interval '2 s' OR t.settled > 0)
           LIMIT 1`,
          [lane.id],
        );
        return rows.length > 0;
      },
      (reason, seconds) => this.meters.of(lane).waited(reason, seconds),
    );
    this.#budgets.set(lane.id, { budget, usedAt: performance.now() });
    if (this.#refusal) budget.drain(this.#refusal);
    return budget;
  }

  /** Lanes that nobody asked for in so long, and of which nothing is under way here. */
  idleFor(ms: number): string[] {
    return [...this.#budgets]
      .filter(([, { budget, usedAt }]) => budget.isIdle && usedAt <= performance.now() - ms)
      .map(([laneId]) => laneId);
  }

  /** Forgets a lane; whoever asks for it again gets a new one. */
  letGo(laneId: string): void {
    this.#budgets.get(laneId)?.budget.close();
    this.#budgets.delete(laneId);
  }

  /** Turns away what would begin, now and from now on; what goes on is let through. */
  refuse(reason: Error): void {
    this.#refusal = reason;
    for (const { budget } of this.#budgets.values()) budget.drain(reason);
  }

  close(): void {
    for (const { budget } of this.#budgets.values()) budget.close();
  }
}
