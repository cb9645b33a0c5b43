import { newSessionSecret } from '#lib/runtime/seal';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { auditWork } from '../audit-work.js';
import { audit } from './audit.js';
import { limitedHash, SESSION_HAS_ENDED, type RequestFacts } from './callers.js';

/** Maximum number of browser sessions of a person. Another one ends the least recently used session. */
const MAX_SESSIONS_OF_A_PERSON = 100;
/** A process that died while it asked a provider, and a provider that does not answer, are followed by another try. */
const REREAD_AGAIN = `interval '5 minutes'`;

/** What a refresh token is sealed with: whose it is. */
export const refreshTokenContext = ({ issuer, subject }: { issuer: string; subject: string }): string =>
  `refresh token ${JSON.stringify([issuer, subject])}`;

/** A session of a person who signed in at a provider. */
export interface SignInSession {
  personId: string;
  /** The membership that the session begins in; by default, the one of the last session. */
  userId: string | undefined;
  provider: string;
  providerSid: string | undefined;
  /** Sealed. */
  refreshToken: string | null;
  address: string | null;
  agent: string | null;
  days: number;
  idleHours: number;
  request: RequestFacts;
}

export interface BegunSession {
  /** The value of its cookie. Only its hash is stored. */
  secret: string;
  expiresAt: Date;
}

/** Begins a session; undefined if the person is in no team. The release before does not accept it. */
export async function beginSignInSession(client: PoolClient, begun: SignInSession): Promise<BegunSession | undefined> {
  const { personId, userId, provider, providerSid, refreshToken, address, agent, days, idleHours, request } = begun;
  const { rows: users } = await client.query<{ userId: string; teamId: string }>(
    `SELECT u.id AS "userId", u.team_id AS "teamId" FROM users u
     WHERE u.person_id = $1 AND u.removed_at IS NULL
     ORDER BY u.id = $2 DESC NULLS LAST,
       (SELECT max(s.last_used_at) FROM session s WHERE s.person_id = $1 AND s.user_id = u.id) DESC NULLS LAST, u.id
     LIMIT 1`,
    [personId, userId ?? null],
  );
  const [user] = users;
  if (!user) return undefined;
  await client.query(
    `DELETE FROM session WHERE hash IN (
       SELECT hash FROM session WHERE person_id = $1 ORDER BY last_used_at DESC OFFSET $2
     )`,
    [personId, MAX_SESSIONS_OF_A_PERSON - 1],
  );
  const secret = newSessionSecret();
  const { rows } = await client.query<{ sessionId: string; expiresAt: Date }>(
    `INSERT INTO session (hash, user_id, role, expires_at, idle_hours, person_id, provider, provider_sid,
       claims_read_at, refresh_token, address, agent)
     SELECT $1, u.id, coalesce(u.role, 'viewer'), now() + $3 * interval '1 day', $4, $5, $6, $7, now(), $8, $9, $10
     FROM users u WHERE u.id = $2
     RETURNING id AS "sessionId", expires_at AS "expiresAt"`,
    [
      ...[limitedHash(secret), user.userId, days, idleHours, personId, provider, providerSid ?? null],
      ...[refreshToken, address, agent],
    ],
  );
  await client.query('UPDATE person SET signed_in_at = now() WHERE id = $1', [personId]);
  const { sessionId, expiresAt } = rows[0]!;
  const change = { after: { provider, agent, expires_at: expiresAt } };
  await audit(client, { ...user, sessionId, request }, 'session.create', sessionId, change);
  return { secret, expiresAt };
}

/** A session whose person's claims have to be read again. */
export interface DueSession {
  id: string;
  personId: string;
  issuer: string;
  subject: string;
  /** Sealed. */
  refreshToken: string | null;
}

/**
 * Takes a session of a provider whose claims were read longer ago than this, so that no other process takes it: a
 * provider may accept a refresh token only once. Undefined if there is none.
 */
export async function takeDueSession(
  pool: Pool,
  provider: string,
  rereadMinutes: number,
): Promise<DueSession | undefined> {
  const { rows } = await pool.query<DueSession>(
    `UPDATE session s SET rereading_at = now()
     FROM person p
     WHERE p.id = s.person_id AND s.hash = (
       SELECT s.hash FROM session s
       WHERE s.provider = $1 AND s.claims_read_at < now() - $2 * interval '1 minute'
         AND (s.rereading_at IS NULL OR s.rereading_at < now() - ${REREAD_AGAIN}) AND NOT ${SESSION_HAS_ENDED}
       ORDER BY s.claims_read_at LIMIT 1 FOR UPDATE SKIP LOCKED
     )
     RETURNING s.id, p.id AS "personId", p.issuer, p.subject, s.refresh_token AS "refreshToken"`,
    [provider, rereadMinutes],
  );
  return rows[0];
}

/** Stores what a provider answered. @param refreshToken sealed */
export async function keepReread(client: PoolClient, id: string, refreshToken: string | null): Promise<void> {
  await client.query(
    `UPDATE session SET claims_read_at = now(), rereading_at = NULL, refresh_token = $2 WHERE id = $1`,
    [id, refreshToken],
  );
}

/** @param cause for the audit */
export const endSessionById = (pool: Pool, id: string, cause: string): Promise<void> =>
  inTransaction(pool, async (client) => {
    const { rows } = await client.query<EndedSession>(`DELETE FROM session WHERE id = $1 ${RETURNING_ENDED}`, [id]);
    await auditEnd(client, rows, cause);
  });

interface EndedSession {
  id: string;
  teamId: string;
  user: string;
}
const RETURNING_ENDED = `RETURNING id, (SELECT team_id FROM users WHERE id = user_id) AS "teamId",
  (SELECT name FROM users WHERE id = user_id) AS user`;

/** A person has a limited number of sessions. */
async function auditEnd(client: PoolClient, sessions: readonly EndedSession[], cause: string): Promise<void> {
  for (const { id, teamId, user } of sessions)
    await auditWork(client, teamId, 'session.delete', id, { before: { user }, cause });
}

/** Whose sessions end at a provider's back-channel logout. */
export interface EndedAtProvider {
  provider: string;
  issuer: string;
  subject: string | undefined;
  sid: string | undefined;
  /** Sessions that began later stay, so that a repeated message ends nothing newer. */
  begunBefore: Date;
}

/** Ends sessions, and returns how many. */
export async function endSessionsOf(pool: Pool, ended: EndedAtProvider): Promise<number> {
  const { provider, issuer, subject, sid, begunBefore } = ended;
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<EndedSession>(
      `DELETE FROM session WHERE hash IN (
         SELECT s.hash FROM session s JOIN person p ON p.id = s.person_id
         WHERE s.provider = $1 AND p.issuer = $2 AND ($3::text IS NULL OR p.subject = $3)
           AND ($4::text IS NULL OR s.provider_sid = $4) AND s.created_at < $5 ORDER BY s.hash FOR UPDATE OF s
       ) ${RETURNING_ENDED}`,
      [provider, issuer, subject ?? null, sid ?? null, begunBefore],
    );
    await auditEnd(client, rows, 'logout at the provider');
    return rows.length;
  });
}
