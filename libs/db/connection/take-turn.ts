import type { PoolClient } from './pool.js';

/**
 * Waits until no other transaction has this turn, and keeps it until its own ends: for rows that do not exist yet,
 * which nobody can lock. Take it before you read what you are going to replace.
 * @param what such as "marks"
 * @param of whose, such as the id of a user
 */
export async function takeTurn(client: PoolClient, what: string, of: string): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock(hashtext($1), hashtext($2))', [what, of]);
}
