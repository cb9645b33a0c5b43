import { createPool, type Pool } from '#lib/db/connection/pool';
import type { Logger } from '#lib/runtime/logger';

/** How many lanes or teams a step works on side by side. */
export const STEP_CONCURRENCY = 4;

/** Runs that are counted side by side: small ones, and large ones, which take longer. */
export const COUNTED_AT_ONCE = { small: 2, large: 1 };
const COUNTING = COUNTED_AT_ONCE.small + COUNTED_AT_ONCE.large;

/**
 * Connections of steps, apart from those that do the work. A step that holds a lock needs one of the latter, and could
 * wait for ever if all of them were held by steps that do the same.
 */
export class StepPools {
  /** Hold the locks of steps that take as long as Postgres does. Others have leases, which hold no connection. */
  readonly locks: Pool;
  /** Read for the steps of parents and count runs, which would keep those who settle items waiting. */
  readonly comparing: Pool;

  constructor(databaseUrl: string, logger: Logger) {
    this.locks = createPool(databaseUrl, 3 * STEP_CONCURRENCY + 2 + COUNTING, logger);
    this.comparing = createPool(databaseUrl, STEP_CONCURRENCY + COUNTING, logger);
  }

  async close(): Promise<void> {
    await Promise.all([this.locks.end(), this.comparing.end()]);
  }
}
