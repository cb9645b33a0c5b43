import { ProblemError } from '#lib/contracts/input/problem';
import type { Pool, PoolClient } from '../connection/pool.js';

export interface KeyOwner {
  teamId: string;
  userId: string;
  key: string;
}
/** A key held by a request until its response is stored, or until a repeat claims it. */
export interface ClaimedKey extends KeyOwner {
  claimedAt: Date;
}
export type KeyState =
  | { state: 'claimed'; claim: ClaimedKey }
  | { state: 'other-request' }
  | { state: 'under-way' }
  | { state: 'answered'; status: number; response: string };

/** A request that takes longer than this is assumed to have died with its process, and its key may be claimed again. */
const ABANDONED_MS = 60_000;

/** Claims a key for a request, or returns the state of the request that claimed it before. */
export async function claimKey(pool: Pool, owner: KeyOwner, request: string): Promise<KeyState> {
  const id = [owner.teamId, owner.userId, owner.key];
  const claimed = await pool.query<{ created_at: Date }>(
    `INSERT INTO idempotency_key AS k (team_id, user_id, key, request) VALUES ($1, $2, $3, $4)
     ON CONFLICT (team_id, user_id, key) DO UPDATE
       SET request = excluded.request, status = NULL, response = NULL, created_at = now()
       WHERE k.created_at < now() - interval '24 hours' OR (k.status IS NULL AND k.request = excluded.request
         AND k.created_at < now() - $5 * interval '1 ms') RETURNING created_at`,
    [...id, request, ABANDONED_MS],
  );
  if (claimed.rows[0]) return { state: 'claimed', claim: { ...owner, claimedAt: claimed.rows[0].created_at } };
  const { rows } = await pool.query<{ request: string; status: number | null; response: string | null }>(
    'SELECT request, status, response FROM idempotency_key WHERE team_id = $1 AND user_id = $2 AND key = $3',
    id,
  );
  const row = rows[0];
  if (!row) return claimKey(pool, owner, request); // the request that held it has just failed and released it
  if (row.request !== request) return { state: 'other-request' };
  return row.status === null
    ? { state: 'under-way' }
    : { state: 'answered', status: row.status, response: row.response ?? '' };
}

/** How many keys each user of a team has. */
export async function countKeys(pool: Pool, teamId: string): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ userId: string; keys: number }>(
    'SELECT user_id AS "userId", count(*)::int AS keys FROM idempotency_key WHERE team_id = $1 GROUP BY 1',
    [teamId],
  );
  return new Map(rows.map(({ userId, keys }) => [userId, keys]));
}

/** Whether a request has used the key. */
export async function hasKey(pool: Pool, { teamId, userId, key }: KeyOwner): Promise<boolean> {
  const { rowCount } = await pool.query(
    'SELECT 1 FROM idempotency_key WHERE team_id = $1 AND user_id = $2 AND key = $3',
    [teamId, userId, key],
  );
  return rowCount === 1;
}

/** SQL: the claim of `$1` to `$4` that has no response yet. Two claims of a key are at least a minute apart. */
const CLAIM = 'team_id = $1 AND user_id = $2 AND key = $3 AND created_at = $4 AND status IS NULL';
const valuesOf = ({ teamId, userId, key, claimedAt }: ClaimedKey): unknown[] => [teamId, userId, key, claimedAt];

/**
 * Stores the response of the request that holds the key. With the client of a transaction, the request's changes and
 * its response are committed together or not at all.
 * @throws ProblemError 409 when a repeat claimed the key after a minute: this request must change nothing
 */
export async function storeResponse(
  pool: Pool | PoolClient,
  claim: ClaimedKey,
  status: number,
  response: string,
): Promise<void> {
  const stored = await pool.query(`UPDATE idempotency_key SET status = $5, response = $6 WHERE ${CLAIM}`, [
    ...valuesOf(claim),
    status,
    response,
  ]);
  if (stored.rowCount === 0)
    throw new ProblemError(
      409,
      'This request took so long that a retry has claimed the Idempotency-Key; this request changed nothing. ' +
        'Send it again to get the answer.',
    );
}

/** Lets the next request with the key run. */
export async function releaseKey(pool: Pool, claim: ClaimedKey): Promise<void> {
  await pool.query(`DELETE FROM idempotency_key WHERE ${CLAIM}`, valuesOf(claim));
}

const PIECE = 5000;

/** Forgets some of the keys that have expired. @returns whether there may be more */
export async function forgetKeys(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query(
    `DELETE FROM idempotency_key WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM idempotency_key WHERE created_at < now() - interval '24 hours' LIMIT $1
     )) AND created_at < now() - interval '24 hours'`,
    [PIECE],
  );
  return rowCount === PIECE;
}
