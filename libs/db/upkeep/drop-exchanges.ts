import { inTransaction, isTransient, longQuery, type Pool } from '../connection/pool.js';

/**
 * Drops the raw exchanges of months that ended more than `keepDays` ago. Dropping a partition takes no time, while
 * deleting its rows would take hours and leave bloat. Verdicts are in another table and stay.
 * @returns the partitions that were dropped; one that is in use is left for the next time
 */
export async function dropOldExchanges(pool: Pool, keepDays: number, now = Date.now()): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'exchange'::regclass ORDER BY 1`,
  );
  const dropped: string[] = [];
  for (const { name } of rows) {
    const [, year, month] = /^exchange_(\d{4})_(\d\d)$/.exec(name) ?? [];
    if (!year || Date.UTC(Number(year), Number(month)) + keepDays * 86_400_000 > now) continue;
    try {
      await inTransaction(pool, async (client) => {
        // Others that need the table wait for this no longer than two seconds.
        await client.query(`SET LOCAL lock_timeout = '2s'`);
        await longQuery(client, `DROP TABLE IF EXISTS ${name}`);
      });
      dropped.push(name);
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
  }
  return dropped;
}
