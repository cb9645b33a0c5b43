import type { Pool } from '#lib/db/connection/pool';

/** Ends a test that fails in the meantime, so that those after it continue. */
const AT_MOST_MS = 60_000;

/** Locks a table, so that all reads of it wait. @returns a function that unlocks it */
export async function lockTable(pool: Pool, table: string): Promise<() => Promise<void>> {
  const client = await pool.connect();
  client.on('error', () => {});
  await client.query('BEGIN');
  await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${AT_MOST_MS}`);
  await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  return async () => {
    await client.query('ROLLBACK');
    client.release();
  };
}
