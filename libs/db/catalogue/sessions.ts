import { ProblemError } from '#lib/contracts/input/problem';
import { newId } from '#lib/runtime/ids';
import { newSessionSecret, sha256 } from '#lib/runtime/seal';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { audit } from './audit.js';
import {
  findCaller,
  hashesOf,
  isHidden,
  limitedHash,
  SESSION_HAS_ENDED,
  type Caller,
  type RequestFacts,
} from './callers.js';

/** Maximum number of browser sessions of a token. Another one ends the least recently used session. */
export const MAX_SESSIONS_OF_A_TOKEN = 100;

/** How long sessions last, of `TOOLMARK_SESSION_IDLE_HOURS` and `TOOLMARK_SESSION_DAYS`. */
export interface SessionTimes {
  idleHours: number;
  days: number;
}

/** Where a session or a token is used from, in words for a list. */
export interface UsedFrom {
  address: string | null;
  /** A browser or a program. */
  agent: string | null;
}

interface NewSession {
  caller: Caller;
  /** The value of its cookie. Only its hash is stored. */
  secret: string;
  expiresAt: Date;
}

/**
 * Begins a session with a token; undefined when the token is unknown, revoked or expired.
 * @throws ProblemError 403 for a service account
 */
export async function beginSession(
  pool: Pool,
  token: string,
  { idleHours, days }: SessionTimes,
  { address, agent, request }: UsedFrom & { request?: RequestFacts },
): Promise<NewSession | undefined> {
  return inTransaction(pool, async (client) => {
    // Sessions of one token begin one after another, so that they can be counted.
    await client.query('SELECT 1 FROM token WHERE hash = ANY ($1) FOR NO KEY UPDATE', [hashesOf(token)]);
    const caller = await findCaller(client, { kind: 'token', secret: token });
    if (!caller?.tokenId) return undefined;
    if (caller.personKind === 'service')
      throw new ProblemError(
        403,
        `"${caller.userName}" is a service account, which cannot sign in. Use a token of your own.`,
      ).as('service_account');
    await client.query(
      `DELETE FROM session WHERE hash IN (
         SELECT hash FROM session WHERE token_id = $1 ORDER BY last_used_at DESC OFFSET $2
       )`,
      [caller.tokenId, MAX_SESSIONS_OF_A_TOKEN - 1],
    );
    const [secret, sessionId] = [newSessionSecret(), newId()];
    const { rows } = await client.query<{ expiresAt: Date }>(
      `INSERT INTO session (hash, user_id, token_id, role, expires_at, id, idle_hours, address, agent)
       SELECT CASE WHEN ${isHidden('hash')} THEN $8 ELSE $1 END, user_id, id, role,
         least(expires_at, now() + $3 * interval '1 day'), $4, $5, $6, $7
       FROM token WHERE id = $2 RETURNING expires_at AS "expiresAt"`,
      [sha256(secret), caller.tokenId, days, sessionId, idleHours, address, agent, limitedHash(secret)],
    );
    const { expiresAt } = rows[0]!;
    const change = { after: { agent, expires_at: expiresAt } };
    await audit(client, { ...caller, sessionId, request }, 'session.create', sessionId, change);
    return { caller: { ...caller, kind: 'session', sessionId }, secret, expiresAt };
  });
}

/** Records that a session is in use, and from where, no more than once a minute. */
export async function keepSession(pool: Pool, secret: string, { address, agent }: UsedFrom): Promise<void> {
  await pool.query(
    `UPDATE session s SET last_used_at = now(), address = $2, agent = $3
     WHERE hash = ANY ($1) AND last_used_at < now() - interval '1 minute' AND NOT ${SESSION_HAS_ENDED}`,
    [hashesOf(secret), address, agent],
  );
}

/**
 * Makes another team of the person the one that a session is in where no header says more.
 * @throws ProblemError 403 for a session of a token, which has one team, and for a team that the person is not in
 */
export async function changeTeam(db: PoolClient, { sessionId, tokenId }: Caller, teamId: string): Promise<void> {
  if (tokenId !== null || sessionId === null)
    throw new ProblemError(403, 'A token has one team. Sign in at a provider to change between your teams.');
  const { rowCount } = await db.query(
    `UPDATE session s SET user_id = u.id FROM users u
     WHERE s.id = $1 AND u.person_id = s.person_id AND u.team_id = $2 AND u.removed_at IS NULL`,
    [sessionId, teamId],
  );
  if (!rowCount) throw new ProblemError(403, 'You are not in this team, or no longer.').as('not_in_team');
}

export async function endSession(db: Pool | PoolClient, caller: Caller, secret: string): Promise<void> {
  const { rows } = await db.query<{ agent: string | null; created_at: Date }>(
    'DELETE FROM session WHERE hash = ANY ($1) RETURNING agent, created_at',
    [hashesOf(secret)],
  );
  const change = { before: { user: caller.userName, ...rows[0] } };
  await audit(db, caller, 'session.delete', caller.sessionId ?? caller.userId, change);
}

export async function removeEndedSessions(pool: Pool): Promise<void> {
  await pool.query(
    `DELETE FROM session WHERE hash IN (SELECT hash FROM session s WHERE ${SESSION_HAS_ENDED} FOR UPDATE SKIP LOCKED)`,
  );
}
