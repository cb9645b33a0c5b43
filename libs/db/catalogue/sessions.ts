import { newSessionSecret, sha256 } from '#lib/runtime/seal';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { audit } from './audit.js';
import { findCaller, hashesOf, isLimited, limitedHash, SESSION_HAS_ENDED, type Caller } from './callers.js';

/** Maximum number of browser sessions of a token. Another one ends the least recently used session. */
export const MAX_SESSIONS_OF_A_TOKEN = 100;
const MAX_DAYS = 7;

interface NewSession {
  caller: Caller;
  /** The value of its cookie. Only its hash is stored. */
  secret: string;
  expiresAt: Date;
}

/** Begins a session with a token; undefined when the token is unknown, revoked or expired. */
export async function beginSession(pool: Pool, token: string): Promise<NewSession | undefined> {
  return inTransaction(pool, async (client) => {
    // Sessions of one token begin one after another, so that they can be counted.
    await client.query('SELECT 1 FROM token WHERE hash = ANY ($1) FOR NO KEY UPDATE', [hashesOf(token)]);
    const caller = await findCaller(client, { kind: 'token', secret: token });
    if (!caller?.tokenId) return undefined;
    await client.query(
      `DELETE FROM session WHERE hash IN (
         SELECT hash FROM session WHERE token_id = $1 ORDER BY last_used_at DESC OFFSET $2
       )`,
      [caller.tokenId, MAX_SESSIONS_OF_A_TOKEN - 1],
    );
    const secret = newSessionSecret();
    const { rows } = await client.query<{ expiresAt: Date }>(
      `INSERT INTO session (hash, user_id, token_id, role, expires_at)
       SELECT $1, user_id, id, role, least(expires_at, now() + $3 * interval '1 day') FROM token WHERE id = $2
       RETURNING expires_at AS "expiresAt"`,
      [isLimited(caller.limits) ? limitedHash(secret) : sha256(secret), caller.tokenId, MAX_DAYS],
    );
    await audit(client, caller, 'session.create', caller.tokenId);
    return { caller, secret, expiresAt: rows[0]!.expiresAt };
  });
}

/** Records that a session is in use, no more than once a minute. */
export async function keepSession(pool: Pool, secret: string): Promise<void> {
  await pool.query(
    `UPDATE session s SET last_used_at = now()
     WHERE hash = ANY ($1) AND last_used_at < now() - interval '1 minute' AND NOT ${SESSION_HAS_ENDED}`,
    [hashesOf(secret)],
  );
}

export async function endSession(db: Pool | PoolClient, caller: Caller, secret: string): Promise<void> {
  await db.query('DELETE FROM session WHERE hash = ANY ($1)', [hashesOf(secret)]);
  await audit(db, caller, 'session.delete', caller.tokenId ?? caller.userId);
}

export async function removeEndedSessions(pool: Pool): Promise<void> {
  await pool.query(
    `DELETE FROM session WHERE hash IN (SELECT hash FROM session s WHERE ${SESSION_HAS_ENDED} FOR UPDATE SKIP LOCKED)`,
  );
}
