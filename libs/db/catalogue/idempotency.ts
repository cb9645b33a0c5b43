import { ProblemError } from '#lib/contracts/problem';
import type { Pool, PoolClient } from '../connection/pool.js';

export interface KeyOwner {
  teamId: string;
  userId: string;
  key: string;
}
/** A key that a request holds until its answer is kept, or another takes it. */
export interface HeldKey extends KeyOwner {
  takenAt: Date;
}
export type KeyState =
  | { state: 'mine'; held: HeldKey }
  | { state: 'other-request' }
  | { state: 'under-way' }
  | { state: 'answered'; status: number; response: string };

/** A request that did not end in this time died with its process; the key may be used again. */
const ABANDONED_MS = 60_000;

/** Takes a key for a request, or tells what became of the request that took it before. */
export async function takeKey(pool: Pool, owner: KeyOwner, request: string): Promise<KeyState> {
  const id = [owner.teamId, owner.userId, owner.key];
  const taken = await pool.query<{ created_at: Date }>(
    `INSERT INTO idempotency_key AS k (team_id, user_id, key, request) VALUES ($1, $2, $3, $4)
     ON CONFLICT (team_id, user_id, key) DO UPDATE
       SET request = excluded.request, status = NULL, response = NULL, created_at = now()
       WHERE k.created_at < now() - interval '24 hours' OR (k.status IS NULL AND k.request = excluded.request
         AND k.created_at < now() - $5 * interval '1 ms') RETURNING created_at`,
    [...id, request, ABANDONED_MS],
  );
  if (taken.rows[0]) return { state: 'mine', held: { ...owner, takenAt: taken.rows[0].created_at } };
  const { rows } = await pool.query<{ request: string; status: number | null; response: string | null }>(
    'SELECT request, status, response FROM idempotency_key WHERE team_id = $1 AND user_id = $2 AND key = $3',
    id,
  );
  const row = rows[0];
  if (!row) return takeKey(pool, owner, request); // its first request failed and gave it back just now
  if (row.request !== request) return { state: 'other-request' };
  return row.status === null
    ? { state: 'under-way' }
    : { state: 'answered', status: row.status, response: row.response ?? '' };
}

/**
 * SQL: the key of `$1` to `$4` while it is held and has no answer. A minute lies between two takings of a key at
 * least.
 */
const HELD = 'team_id = $1 AND user_id = $2 AND key = $3 AND created_at = $4 AND status IS NULL';
const valuesOf = ({ teamId, userId, key, takenAt }: HeldKey): unknown[] => [teamId, userId, key, takenAt];

/**
 * Keeps the answer to the request that holds the key. With the client of a transaction, what that does is done if
 * the answer is kept.
 * @throws ProblemError 409 when a repeat has taken the key, after a minute: it answers, and this request is to
 *   change nothing
 */
export async function keepAnswer(
  pool: Pool | PoolClient,
  held: HeldKey,
  status: number,
  response: string,
): Promise<void> {
  const kept = await pool.query(`UPDATE idempotency_key SET status = $5, response = $6 WHERE ${HELD}`, [
    ...valuesOf(held),
    status,
    response,
  ]);
  if (kept.rowCount === 0)
    throw new ProblemError(
      409,
      'This request took so long that its repetition has taken the Idempotency-Key over, and nothing ' +
        'was changed here. Repeat it to see the answer.',
    );
}

export async function giveKeyBack(pool: Pool, held: HeldKey): Promise<void> {
  await pool.query(`DELETE FROM idempotency_key WHERE ${HELD}`, valuesOf(held));
}
