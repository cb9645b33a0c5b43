import type { PoolClient } from '../connection/pool.js';

/**
 * Locks a user's row until the transaction ends. Locks are taken in one order everywhere: user, providers, targets
 * by key, job; so whatever starts and ends the jobs of a user takes turns.
 */
export async function lockUser(client: PoolClient, userId: string): Promise<void> {
  await client.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [userId]);
}

/**
 * The same for what is tried again with the next turn of a loop: it waits five seconds for this and every further
 * lock of the transaction, whatever whoever holds them does.
 */
export async function lockUserOrTimeOut(client: PoolClient, userId: string): Promise<void> {
  await client.query(`SET LOCAL lock_timeout = '5s'`);
  await lockUser(client, userId);
}
