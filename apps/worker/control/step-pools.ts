import { createPool, type Pool } from '#lib/db/connection/pool';
import type { Logger } from '#lib/runtime/logger';

/** How many lanes or teams a step works on in parallel. */
export const STEP_CONCURRENCY = 4;

/** Runs counted in parallel: small ones, and large ones, which take longer. */
export const COUNTED_AT_ONCE = { small: 2, large: 1 };
const COUNTING = COUNTED_AT_ONCE.small + COUNTED_AT_ONCE.large;

/**
 * Connections for steps, separate from those for their work. A step that holds a lock also needs a work connection, and
 * could wait forever if steps like it held all of them.
 */
export class StepPools {
  /**
   * For the locks of steps that last as long as Postgres takes. Other steps have leases, which do not hold a
   * connection.
   */
  readonly locks: Pool;
  /** For the steps of parents and for counting runs, whose reads would block the settling of items. */
  readonly comparing: Pool;

  constructor(databaseUrl: string, logger: Logger) {
    this.locks = createPool(databaseUrl, 3 * STEP_CONCURRENCY + 2 + COUNTING, logger);
    this.comparing = createPool(databaseUrl, STEP_CONCURRENCY + COUNTING, logger);
  }

  async close(): Promise<void> {
    await Promise.all([this.locks.end(), this.comparing.end()]);
  }
}
