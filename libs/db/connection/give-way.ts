import type pg from 'pg';

/** SQL: the transaction waits for no lock longer than this. Shorter than Postgres takes to find a deadlock. */
export const GIVE_WAY = `SET LOCAL lock_timeout = '500ms'`;
const GAVE_WAY = ['55P03', '40P01'];
const MAX_GIVING_WAY = 100;

/**
 * Makes a transaction that changes tables, beside processes that work. It locks several, in another order than they do,
 * so it gives way and begins again, instead of having one of them, or itself, ended as a deadlock.
 */
export async function givingWay<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (let times = 1; ; times++) {
    try {
      return await transaction();
    } catch (error) {
      if (!GAVE_WAY.includes((error as pg.DatabaseError).code ?? '') || times > MAX_GIVING_WAY) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 100));
    }
  }
}
