import type { Pool, PoolClient } from './pool.js';

export interface KeyOwner {
  teamId: string;
  userId: string;
  key: string;
}
export type KeyState = { state: 'mine' } | { state: 'other-request' } | { state: 'under-way' } | { state: 'answered'; status: number; response: string };

/** A request that did not end in this time died with its process; the key may be used again. */
const ABANDONED_MS = 60_000;

/** Takes a key for a request, or tells what became of the request that took it before. */
export async function takeKey(pool: Pool, owner: KeyOwner, request: string): Promise<KeyState> {
  const id = [owner.teamId, owner.userId, owner.key];
  const taken = await pool.query(
    `INSERT INTO idempotency_key AS k (team_id, user_id, key, request) VALUES ($1, $2, $3, $4)
     ON CONFLICT (team_id, user_id, key) DO UPDATE SET request = excluded.request, status = NULL, response = NULL, created_at = now()
       WHERE k.created_at < now() - interval '24 hours' OR (k.status IS NULL AND k.request = excluded.request AND k.created_at < now() - $5 * interval '1 ms')`,
    [...id, request, ABANDONED_MS],
  );
  if (taken.rowCount) return { state: 'mine' };
  const { rows } = await pool.query<{ request: string; status: number | null; response: string | null }>(
    'SELECT request, status, response FROM idempotency_key WHERE team_id = $1 AND user_id = $2 AND key = $3', id);
  const row = rows[0];
  if (!row) return takeKey(pool, owner, request); // its first request failed and gave it back just now
  if (row.request !== request) return { state: 'other-request' };
  return row.status === null ? { state: 'under-way' } : { state: 'answered', status: row.status, response: row.response ?? '' };
}

export async function keepAnswer(pool: Pool | PoolClient, owner: KeyOwner, status: number, response: string): Promise<void> {
  await pool.query('UPDATE idempotency_key SET status = $4, response = $5 WHERE team_id = $1 AND user_id = $2 AND key = $3', [owner.teamId, owner.userId, owner.key, status, response]);
}

export async function giveKeyBack(pool: Pool, owner: KeyOwner): Promise<void> {
  await pool.query('DELETE FROM idempotency_key WHERE team_id = $1 AND user_id = $2 AND key = $3 AND status IS NULL', [owner.teamId, owner.userId, owner.key]);
}
