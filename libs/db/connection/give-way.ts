import type pg from 'pg';

/** SQL: the lock timeout of the transaction, shorter than Postgres takes to detect a deadlock. */
export const GIVE_WAY = `SET LOCAL lock_timeout = '500ms'`;
const GAVE_WAY = ['55P03', '40P01'];
const MAX_GIVING_WAY = 100;

/**
 * Runs a transaction that changes tables while other processes are working. It locks several tables, in another order
 * than they do, so it gives up on a blocked lock and starts again, instead of having itself or one of them aborted as a
 * deadlock.
 */
export async function yieldingLocks<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (let times = 1; ; times++) {
    try {
      return await transaction();
    } catch (error) {
      if (!GAVE_WAY.includes((error as pg.DatabaseError).code ?? '') || times > MAX_GIVING_WAY) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 100));
    }
  }
}
