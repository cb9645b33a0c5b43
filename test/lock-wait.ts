import type { Pool } from '#lib/db/connection/pool';
import { until } from './until.js';

/** Waits until a statement in this pool's database waits for a lock. */
export const someoneWaits = (pool: Pool, what = 'a statement to wait for a lock'): Promise<unknown> =>
  until(
    async () => {
      const { rowCount } = await pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rowCount;
    },
    { what },
  );
