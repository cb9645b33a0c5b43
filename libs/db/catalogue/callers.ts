import type { Role } from '#lib/contracts/team';
import { sha256 } from '#lib/runtime/seal';
import type { Pool, PoolClient } from '../connection/pool.js';

/** What authenticates a request: a token, or the value of a session cookie. The two are not interchangeable. */
export interface Credential {
  kind: 'token' | 'session';
  secret: string;
}

/** The user, role and team that a request comes from. */
export interface Caller {
  /** The token of the request, or the one its session began with; null for a session that began without a token. */
  tokenId: string | null;
  teamId: string;
  teamName: string;
  userId: string;
  userName: string;
  role: Role;
}

/** SQL: whether a session `s` has expired. It also ends with its token, its user, or when its user ends it. */
export const SESSION_HAS_ENDED = `(s.expires_at <= now() OR s.last_used_at <= now() - interval '12 hours')`;

const USER = `u.id AS "userId", u.name AS "userName", t.id AS "teamId", t.name AS "teamName"`;
const STATEMENTS: Record<Credential['kind'], { name: string; text: string }> = {
  token: {
    name: 'find_callers',
    text: `SELECT k.hash, k.id AS "tokenId", k.role, ${USER}
      FROM token k JOIN team t ON t.id = k.team_id JOIN users u ON u.id = k.user_id
      WHERE k.hash = ANY ($1) AND (k.expires_at IS NULL OR k.expires_at > now())`,
  },
  session: {
    name: 'find_callers_of_sessions',
    text: `SELECT s.hash, s.token_id AS "tokenId", coalesce(k.role, s.role) AS role, ${USER}
      FROM session s JOIN users u ON u.id = s.user_id JOIN team t ON t.id = u.team_id
      LEFT JOIN token k ON k.id = s.token_id
      WHERE s.hash = ANY ($1) AND NOT ${SESSION_HAS_ENDED} AND (k.expires_at IS NULL OR k.expires_at > now())`,
  },
};

/** The caller of a token or a session; undefined when it is unknown or has ended. */
export async function findCaller(db: Pool | PoolClient, { kind, secret }: Credential): Promise<Caller | undefined> {
  return (await findCallers(db, kind, [secret])).get(secret);
}

/** The callers of many tokens or sessions, by secret, in one statement. Ended ones have no entry. */
export async function findCallers(
  db: Pool | PoolClient,
  kind: Credential['kind'],
  secrets: readonly string[],
): Promise<Map<string, Caller>> {
  const secretOf = new Map(secrets.map((secret) => [sha256(secret), secret]));
  const { rows } = await db.query<Caller & { hash: string }>({ ...STATEMENTS[kind], values: [[...secretOf.keys()]] });
  return new Map(rows.map(({ hash, ...caller }) => [secretOf.get(hash)!, caller]));
}
