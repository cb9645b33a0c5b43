import { IDLE_IN_TRANSACTION_MS, inTransaction, type Pool } from './pool.js';

/**
 * Runs `work` while this process holds the advisory lock of `name`, or not at all. The lock belongs to a transaction
 * that a short query keeps alive every second: Postgres frees the lock at once when the process dies, and after
 * `IDLE_IN_TRANSACTION_MS` when it freezes. A frozen process may wake up and work concurrently with the next holder, so
 * each write of `work` must tolerate a second writer.
 *
 * @returns whether `work` ran here
 */
export async function withAdvisoryLock(pool: Pool, name: string, work: () => Promise<void>): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const lock = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock(hashtext($1)) AS mine', [
      name,
    ]);
    if (!lock.rows[0]!.mine) return false;
    const keepAlive = setInterval(() => void client.query('SELECT 1').catch(() => {}), IDLE_IN_TRANSACTION_MS / 4);
    try {
      await work();
    } finally {
      clearInterval(keepAlive);
    }
    return true;
  });
}
