import type { Pool, PoolClient } from './pool.js';

/** Inserts one row. Table and column names come from code, never from a user. */
export async function insertRow(db: Pool | PoolClient, table: string, row: Record<string, unknown>): Promise<void> {
  const columns = Object.keys(row);
  const parameters = columns.map((_column, n) => `$${n + 1}`);
  await db.query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${parameters.join(', ')})`, Object.values(row));
}
