import { createPool, type Pool } from '#lib/db/connection/pool';
import type { Logger } from '#lib/runtime/logger';

/** How many lanes or teams a step works on in parallel. */
export const STEP_CONCURRENCY = 4;

/** Runs counted in parallel: small ones, and large ones, which take longer. */
export const COUNTED_AT_ONCE = { small: 2, large: 1 };
const COUNTING = COUNTED_AT_ONCE.small + COUNTED_AT_ONCE.large;

/**
 * Connections of steps, separate from those of items. No step holds one while it waits for another: behind a pooler,
 * steps of all workers share few, and could wait for each other forever.
 */
export class StepPools {
  /** For the leases of short steps, so that taking and renewing them does not wait for work. */
  readonly locks: Pool;
  /** For the steps of parents and for counting runs, whose reads would block the settling of items. */
  readonly comparing: Pool;

  constructor(databaseUrl: string, logger: Logger) {
    this.locks = createPool(databaseUrl, 2, logger);
    this.comparing = createPool(databaseUrl, STEP_CONCURRENCY + COUNTING, logger);
  }

  async close(): Promise<void> {
    await Promise.all([this.locks.end(), this.comparing.end()]);
  }
}
