import type { Page, PageQuery } from '#lib/contracts/page';
import type { Role, Token } from '#lib/contracts/team';
import { newId } from '#lib/runtime/ids';
import { newAccessToken, sha256 } from '#lib/runtime/seal';
import { inTransaction, type PoolClient } from '../connection/pool.js';
import { TeamScoped } from '../team-isolation.js';
import { isLimited, limitedHash } from './callers.js';
import { toPage } from './page.js';
import { spentThisMonthBy } from './spending.js';

interface TokenRow extends Omit<Token, 'expires_at' | 'created_at' | 'last_used_at'> {
  expires_at: Date | null;
  created_at: Date;
  last_used_at: Date | null;
}

/** Columns of a row `k` of `token` whose user is the row `u`. */
const COLUMNS = `k.id, k.name, k.role, u.name AS user, k.expires_at, k.created_at, k.reads_only, k.monthly_cap_usd,
  k.last_used_at, k.last_used_address AS address, k.last_used_agent AS agent,
  (SELECT name FROM users WHERE id = k.created_by) AS created_by,
  CASE WHEN k.suite_ids IS NOT NULL THEN coalesce((
    SELECT json_agg(json_build_object('id', id, 'name', name) ORDER BY name, id) FROM suite
    WHERE id = ANY (k.suite_ids) AND team_id = k.team_id
  ), '[]') END AS suites,
  ${spentThisMonthBy('k.id')} AS spent_usd`;

const toToken = ({ expires_at, created_at, last_used_at, ...row }: TokenRow): Token => ({
  ...row,
  expires_at: expires_at?.toISOString() ?? null,
  created_at: created_at.toISOString(),
  last_used_at: last_used_at?.toISOString() ?? null,
});

/** A token to store. `created_by` is the id of the user who makes it. */
export interface TokenToStore {
  name: string;
  role: Role;
  expires_at: string | null;
  created_by?: string;
  reads_only?: boolean;
  suite_ids?: string[] | null;
  monthly_cap_usd?: number | null;
}

/** The tokens of a team. */
export class TokenRepository extends TeamScoped {
  async list({ limit, cursor }: PageQuery): Promise<Page<Token>> {
    const { rows } = await this.db.query<TokenRow>(
      `SELECT ${COLUMNS} FROM token k JOIN users u ON u.id = k.user_id
       WHERE k.team_id = $1 AND ($2::uuid IS NULL OR k.id < $2) ORDER BY k.id DESC LIMIT $3`,
      [this.teamId, cursor ?? null, limit + 1],
    );
    return toPage(rows.map(toToken), limit);
  }

  /** Creates a token for the user of this name, and the user if the team has none of this name. */
  async create(userName: string, input: TokenToStore): Promise<{ token: Token; secret: string }> {
    return inTransaction(this.db, async (client) => {
      await client.query(
        'INSERT INTO users (id, team_id, name) VALUES ($1, $2, $3) ON CONFLICT (team_id, name) DO NOTHING',
        [newId(), this.teamId, userName],
      );
      const { rows } = await client.query<{ id: string }>('SELECT id FROM users WHERE team_id = $1 AND name = $2', [
        this.teamId,
        userName,
      ]);
      const secret = newAccessToken();
      return { token: await storeToken(client, rows[0]!.id, input, secret), secret };
    });
  }

  async delete(id: string): Promise<'deleted' | 'last-owner' | 'not-found'> {
    return inTransaction(this.db, async (client) => {
      // The lock keeps two owners from deleting each other's token when these are the last two.
      const { rows } = await client.query<{ id: string; isLasting: boolean }>(
        `SELECT id, role = 'owner' AND expires_at IS NULL AS "isLasting" FROM token
         WHERE team_id = $1 AND (id = $2 OR role = 'owner') ORDER BY id FOR UPDATE`,
        [this.teamId, id],
      );
      const token = rows.find((row) => row.id === id);
      if (!token) return 'not-found';
      if (token.isLasting && !rows.some((row) => row.isLasting && row.id !== id)) return 'last-owner';
      await client.query('DELETE FROM token WHERE id = $1', [id]);
      return 'deleted';
    });
  }
}

/** Stores the hash of a secret as a token of a user, or updates the token that already has this secret. */
export async function storeToken(
  client: PoolClient,
  userId: string,
  { name, role, expires_at, created_by, reads_only = false, suite_ids = null, monthly_cap_usd = null }: TokenToStore,
  secret: string,
  isFromEnv = false,
): Promise<Token> {
  const isLimitedToken = isLimited({ readsOnly: reads_only, suiteIds: suite_ids, monthlyCapUsd: monthly_cap_usd });
  const { rows } = await client.query<TokenRow>(
    `WITH k AS (
       INSERT INTO token (id, team_id, user_id, name, role, hash, expires_at, from_env, created_by, reads_only,
         suite_ids, monthly_cap_usd)
       SELECT $1, u.team_id, u.id, $3, $4, $5, $6, $7, $8, $9, $10, $11 FROM users u WHERE u.id = $2
       ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at, from_env = excluded.from_env
       RETURNING *
     )
     SELECT ${COLUMNS} FROM k JOIN users u ON u.id = $2`,
    [
      ...[newId(), userId, name, role, isLimitedToken ? limitedHash(secret) : sha256(secret), expires_at, isFromEnv],
      ...[created_by ?? null, reads_only, suite_ids, monthly_cap_usd],
    ],
  );
  return toToken(rows[0]!);
}
