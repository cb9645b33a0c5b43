import type { Pool } from '#lib/db/connection/pool';

/** A test that fails meanwhile shall end, and those after it go on. */
const AT_MOST_MS = 60_000;

/** Holds a table, so that whatever reads it waits. @returns what lets it go */
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
