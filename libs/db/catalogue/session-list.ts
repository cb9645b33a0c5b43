import { notFound } from '#lib/contracts/input/problem';
import type { Page, PageQuery } from '#lib/contracts/page';
import type { SessionEntry } from '#lib/contracts/people';
import type { Pool, PoolClient } from '../connection/pool.js';
import { audit } from './audit.js';
import { SESSION_HAS_ENDED, type Caller } from './callers.js';
import { pageOf } from './page.js';

/** The form of a cursor. */
export const SESSION_CURSOR = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface SessionRow extends Omit<SessionEntry, 'created_at' | 'expires_at' | 'last_used_at'> {
  created_at: Date;
  expires_at: Date;
  last_used_at: Date;
}

/**
 * SQL: sessions `s` of members `u` of the team `$1`. A session of a sign-in belongs to the person, in whatever team;
 * one that began with a token to the user of the token.
 */
const SESSIONS = `session s JOIN users u ON u.team_id = $1 AND u.removed_at IS NULL
    AND (u.person_id = s.person_id OR (u.id = s.user_id AND s.token_id IS NOT NULL))
  WHERE NOT ${SESSION_HAS_ENDED}`;

/** Sessions that a caller may see and end: their own, or those of all members of the team. */
export class SessionList {
  readonly #scope: { condition: string; values: unknown[] };

  constructor(
    readonly db: Pool | PoolClient,
    readonly caller: Caller,
    of: 'own' | 'team',
  ) {
    const { teamId, userId, tokenId } = caller;
    // What a token can do ends with the team and the user that it has.
    const own = tokenId === null ? 'u.id = $2' : 'u.id = $2 AND s.token_id IS NOT NULL';
    this.#scope =
      of === 'own'
        ? { condition: own, values: [teamId, userId] }
        : { condition: '$2::text IS NULL', values: [teamId, null] };
  }

  /** The newest first. @param after a cursor of this list */
  async page({ limit, cursor: after }: PageQuery): Promise<Page<SessionEntry>> {
    const [time, id] = after?.split('_') ?? [];
    const { condition, values } = this.#scope;
    const { rows } = await this.db.query<SessionRow>(
      `SELECT s.id, u.name AS user, s.provider, (SELECT name FROM token WHERE id = s.token_id) AS token, s.created_at,
         s.expires_at, s.last_used_at, s.address, s.agent, s.id IS NOT DISTINCT FROM $5::uuid AS is_current
       FROM ${SESSIONS} AND ${condition} AND ($3::timestamptz IS NULL OR (s.created_at, s.id) < ($3, $4::uuid))
       ORDER BY s.created_at DESC, s.id DESC LIMIT $6`,
      [...values, time ?? null, id ?? null, this.caller.sessionId, limit + 1],
    );
    return pageOf(rows, limit, toEntry, (last) => `${last.created_at.toISOString()}_${last.id}`);
  }

  /** Ends a session. @throws ProblemError 404 for one that the caller may not see */
  async end(id: string): Promise<void> {
    const { condition, values } = this.#scope;
    const { rows } = await this.db.query<{ user: string; agent: string | null; created_at: Date }>(
      `DELETE FROM session WHERE id = (SELECT s.id FROM ${SESSIONS} AND ${condition} AND s.id = $3)
       RETURNING (SELECT name FROM users WHERE id = user_id) AS user, agent, created_at`,
      [...values, id],
    );
    if (!rows[0]) throw notFound('session', id);
    await audit(this.db, this.caller, 'session.delete', id, { before: rows[0] });
  }
}

const toEntry = ({ created_at, expires_at, last_used_at, ...row }: SessionRow): SessionEntry => ({
  ...row,
  created_at: created_at.toISOString(),
  expires_at: expires_at.toISOString(),
  last_used_at: last_used_at.toISOString(),
});
