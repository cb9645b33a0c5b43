import type { PoolClient } from '../connection/pool.js';

/**
 * Locks a user's row until the transaction ends, so that whatever starts or ends jobs of the user takes turns.
 * Every transaction takes its locks in one order, or two could wait for each other: suite, user, orchestration,
 * providers, targets by key, run, experiment, job.
 */
export async function lockUser(client: PoolClient, userId: string): Promise<void> {
  await client.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [userId]);
}

/**
 * As `lockUser`, for work that a loop tries again: this and every later lock of the transaction fails after five
 * seconds, whatever keeps it.
 */
export async function lockUserOrTimeOut(client: PoolClient, userId: string): Promise<void> {
  await client.query(`SET LOCAL lock_timeout = '5s'`);
  await lockUser(client, userId);
}
