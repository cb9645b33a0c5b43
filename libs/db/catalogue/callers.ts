import type { Role } from '#lib/contracts/team';
import { sha256 } from '#lib/runtime/seal';
import type { Pool } from '../connection/pool.js';

/** The token, user and team that a request comes from. */
export interface Caller {
  tokenId: string;
  teamId: string;
  teamName: string;
  userId: string;
  userName: string;
  role: Role;
}

/** The caller that a token belongs to; undefined when it is unknown or expired. */
export async function findCaller(pool: Pool, secret: string): Promise<Caller | undefined> {
  return (await findCallers(pool, [secret])).get(secret);
}

/** The callers of many tokens, by token, in one statement. Unknown and expired tokens have no entry. */
export async function findCallers(pool: Pool, secrets: readonly string[]): Promise<Map<string, Caller>> {
  const secretOf = new Map(secrets.map((secret) => [sha256(secret), secret]));
  const { rows } = await pool.query<Caller & { hash: string }>({
    name: 'find_callers',
    text: `SELECT k.hash, k.id AS "tokenId", k.team_id AS "teamId", t.name AS "teamName", k.user_id AS "userId",
        u.name AS "userName", k.role
      FROM token k JOIN team t ON t.id = k.team_id JOIN users u ON u.id = k.user_id
      WHERE k.hash = ANY ($1) AND (k.expires_at IS NULL OR k.expires_at > now())`,
    values: [[...secretOf.keys()]],
  });
  return new Map(rows.map(({ hash, ...caller }) => [secretOf.get(hash)!, caller]));
}
