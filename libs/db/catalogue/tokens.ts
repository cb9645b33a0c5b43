import { notFound, ProblemError } from '#lib/contracts/input/problem';
import type { Page, PageQuery } from '#lib/contracts/page';
import type { Role, Token } from '#lib/contracts/team';
import { newId } from '#lib/runtime/ids';
import { newAccessToken, sha256 } from '#lib/runtime/seal';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { TeamScoped } from '../team-isolation.js';
import { hidden, isLimited, limitedHash, lowest } from './callers.js';
import { toPage } from './page.js';
import { keepQuotas } from './quotas.js';
import { spentThisMonthBy } from './spending.js';
import { keepAWayIn } from './ways-in.js';

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

/** A token for the audit. */
export const auditedToken = ({ name, role, user, expires_at, reads_only, suites, monthly_cap_usd }: Token) => ({
  ...{ name, role, user, expires_at, reads_only, monthly_cap_usd },
  suites: suites?.map((suite) => suite.name) ?? null,
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

/** How many tokens of a user are stored, with those that have expired. */
export const MOST_OF_A_USER = 500;
/** How many that have not ended people may make for themselves in a team: one of them cannot use up its quota. */
const MOST_OWN = 100;
/** How long an expired token still says that it expired. */
const EXPIRED_KEPT_DAYS = 90;

/** The tokens of a team. */
export class TokenRepository extends TeamScoped {
  /** @param userId whose tokens; by default, those of everybody in the team */
  async list({ limit, cursor }: PageQuery, userId?: string): Promise<Page<Token>> {
    const { rows } = await this.db.query<TokenRow>(
      `SELECT ${COLUMNS} FROM token k JOIN users u ON u.id = k.user_id
       WHERE k.team_id = $1 AND ($2::uuid IS NULL OR k.id < $2) AND ($4::uuid IS NULL OR k.user_id = $4)
         AND k.deleted_at IS NULL
       ORDER BY k.id DESC LIMIT $3`,
      [this.teamId, cursor ?? null, limit + 1, userId ?? null],
    );
    return toPage(rows.map(toToken), limit);
  }

  /**
   * Creates a token for the user of this name, and a person without a sign-in if the team has none of this name.
   * @throws ProblemError 422 for somebody who signs in, who was removed, or whose role is lower; 409 when the team
   *   reached a quota
   */
  async create(userName: string, input: TokenToStore): Promise<NewToken> {
    return inTransaction(this.db, async (client) => {
      const { rowCount: users } = await client.query(
        'INSERT INTO users (id, team_id, name) VALUES ($1, $2, $3) ON CONFLICT (team_id, name) DO NOTHING',
        [newId(), this.teamId, userName],
      );
      const { rows } = await client.query<UserOfToken>(
        `SELECT u.id, u.name, u.role, u.removed_at IS NOT NULL AS "isRemoved", p.issuer IS NOT NULL AS "signsIn"
         FROM users u LEFT JOIN person p ON p.id = u.person_id WHERE u.team_id = $1 AND u.name = $2 FOR SHARE OF u`,
        [this.teamId, userName],
      );
      checkUser(rows[0]!, input);
      const secret = newAccessToken();
      const token = await storeToken(client, rows[0]!.id, input, secret);
      await keepQuotas(client, this.teamId, { users: users ?? 0, tokens: 1 });
      return { token, secret, newUserId: users ? rows[0]!.id : undefined };
    });
  }

  /**
   * Creates a token for the caller, whatever the name.
   * @param most how many the user may have then
   * @throws ProblemError 409 when the user or the team has as many as they may
   */
  async createFor(userId: string, input: TokenToStore, most = MOST_OWN): Promise<NewToken> {
    return inTransaction(this.db, async (client) => {
      const { rowCount } = await client.query(
        'SELECT 1 FROM users WHERE id = $1 AND team_id = $2 AND removed_at IS NULL FOR SHARE',
        [userId, this.teamId],
      );
      if (!rowCount) throw new ProblemError(403, 'You are no longer in this team.').as('not_in_team');
      await this.#makeRoom(client, userId);
      const secret = newAccessToken();
      const token = await storeToken(client, userId, input, secret);
      // Two at once are counted one after the other from here on.
      await keepQuotas(client, this.teamId, { tokens: 1 });
      await checkOwn(client, userId, most);
      return { token, secret };
    });
  }

  async #makeRoom(client: PoolClient, userId: string): Promise<void> {
    await client.query(`DELETE FROM token WHERE user_id = $1 AND expires_at < now() - $2 * interval '1 day'`, [
      userId,
      EXPIRED_KEPT_DAYS,
    ]);
    const { rows } = await client.query<{ tokens: number }>(
      'SELECT count(*)::int AS tokens FROM token WHERE user_id = $1',
      [userId],
    );
    if (rows[0]!.tokens >= MOST_OF_A_USER)
      throw new ProblemError(409, `You have ${MOST_OF_A_USER} tokens in this team (the limit). Delete some first.`);
  }

  /** @throws ProblemError 404; 409 for the last way in for an owner, because a token with a cap manages nothing */
  async changeCap(id: string, monthlyCapUsd: number | null): Promise<{ token: Token; capBefore: number | null }> {
    const change = async (client: PoolClient): Promise<{ token: Token; capBefore: number | null }> => {
      const { rows } = await client.query<TokenRow & { capBefore: number | null }>(
        `WITH old AS (
           SELECT id, monthly_cap_usd FROM token WHERE id = $1 AND team_id = $2 AND deleted_at IS NULL FOR UPDATE
         ), k AS (
           UPDATE token SET monthly_cap_usd = $3,
             hash = CASE WHEN $3::float8 IS NULL THEN hash ELSE ${hidden('hash')} END
           FROM old WHERE token.id = old.id RETURNING token.*, old.monthly_cap_usd AS cap_before)
         SELECT ${COLUMNS}, k.cap_before AS "capBefore" FROM k JOIN users u ON u.id = k.user_id`,
        [id, this.teamId, monthlyCapUsd],
      );
      if (!rows[0]) throw notFound('token', id);
      const { capBefore, ...token } = rows[0];
      return { token: toToken(token), capBefore };
    };
    return inTransaction(this.db, (client) =>
      keepAWayIn(client, { teamId: this.teamId }, () => change(client), lastOwnerToken),
    );
  }

  /**
   * @param by the user who ends one of their own tokens, with the role that they have now; by default, an owner
   * @returns what was there
   * @throws ProblemError 404; 403 for a token of a higher role; 409 for the last way in for an owner
   */
  async delete(id: string, by?: { userId: string; role: Role }): Promise<Token> {
    return inTransaction(this.db, async (client) => {
      const { rows } = await client.query<TokenRow>(
        `SELECT ${COLUMNS} FROM token k JOIN users u ON u.id = k.user_id
         WHERE k.id = $1 AND k.team_id = $2 AND ($3::uuid IS NULL OR k.user_id = $3) AND k.deleted_at IS NULL`,
        [id, this.teamId, by?.userId ?? null],
      );
      if (!rows[0]) throw notFound('token', id);
      const { role } = rows[0];
      if (by && lowest(role, by.role) !== role)
        throw new ProblemError(403, `This token has the role "${role}", which is above yours.`).as('role_needed', {
          needed: role,
          role: by.role,
        });
      const deleted = () => deleteTokens(client, 'id = $1', id);
      if (role === 'owner') await keepAWayIn(client, this, deleted, lastOwnerToken);
      else await deleted();
      return toToken(rows[0]);
    });
  }
}

/** @throws ProblemError 409 */
async function checkOwn(client: PoolClient, userId: string, most: number): Promise<void> {
  const { rows } = await client.query<{ tokens: number }>(
    `SELECT count(*)::int AS tokens FROM token
     WHERE user_id = $1 AND deleted_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
    [userId],
  );
  if (rows[0]!.tokens > most)
    throw new ProblemError(
      409,
      `You have ${rows[0]!.tokens - 1} tokens in this team that have not ended (the limit is ${most}). Delete ` +
        'some of them first.',
    );
}

/** Deletes tokens. Those with a cap only end, because their runs keep to it. @param which SQL with `$1` */
export async function deleteTokens(client: PoolClient, which: string, value: string): Promise<void> {
  await client.query(
    `UPDATE token SET expires_at = now(), deleted_at = now()
     WHERE ${which} AND monthly_cap_usd IS NOT NULL AND deleted_at IS NULL`,
    [value],
  );
  await client.query(`DELETE FROM token WHERE ${which} AND monthly_cap_usd IS NULL`, [value]);
}

/** A token with its secret, which is not stored. */
interface NewToken {
  token: Token;
  secret: string;
  /** The user who was made for it. */
  newUserId?: string | undefined;
}

interface UserOfToken {
  id: string;
  name: string;
  role: Role | null;
  isRemoved: boolean;
  signsIn: boolean;
}

/** Whether an owner may make a token for this user. */
function checkUser({ id, name, role, isRemoved, signsIn }: UserOfToken, input: TokenToStore): void {
  const refuse = (path: string, detail: string, message: string) => new ProblemError(422, detail, [{ path, message }]);
  if (isRemoved) throw refuse('/user', `"${name}" is no longer in the team. Invite the person again.`, 'was removed');
  if (signsIn && id !== input.created_by)
    throw refuse('/user', `"${name}" signs in, and makes tokens alone.`, 'must not be somebody who signs in');
  if (lowest(input.role, role) !== input.role)
    throw refuse(
      '/role',
      `"${name}" has the role "${role}", so the token would have no more.`,
      `must be at most ${role}`,
    );
}

const lastOwnerToken = (): ProblemError =>
  new ProblemError(
    409,
    'This is the last way in for an owner: nobody could create another token. Create an owner token that does not ' +
      'expire first, or make somebody an owner who signs in.',
  ).as('last_owner_token');

/** A use of a token, and where it came from. */
export interface TokenUse {
  tokenId: string;
  address: string | null;
  agent: string | null;
}

/** Records when tokens were last used, no more than once a minute. It waits for no lock: a locked row is skipped. */
export async function noteTokenUses(pool: Pool, uses: readonly TokenUse[]): Promise<void> {
  await pool.query(
    `UPDATE token k SET last_used_at = now(), last_used_address = use.address, last_used_agent = use.agent
     FROM unnest($1::uuid[], $2::text[], $3::text[]) AS use (id, address, agent)
     WHERE k.id = use.id AND k.id IN (
       SELECT id FROM token
       WHERE id = ANY ($1) AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
       FOR NO KEY UPDATE SKIP LOCKED)`,
    [uses.map(({ tokenId }) => tokenId), uses.map(({ address }) => address), uses.map(({ agent }) => agent)],
  );
}

/** @throws ProblemError 422 for suites that are not of the user's team */
async function checkSuites(client: PoolClient, userId: string, ids: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ id: string; n: number }>(
    `SELECT a.id, a.n::int - 1 AS n FROM unnest($2::uuid[]) WITH ORDINALITY AS a (id, n)
     WHERE NOT EXISTS (SELECT FROM suite s JOIN users u ON u.team_id = s.team_id WHERE u.id = $1 AND s.id = a.id)
     ORDER BY a.n`,
    [userId, ids],
  );
  if (rows.length === 0) return;
  throw new ProblemError(
    422,
    `No suite with id "${rows[0]!.id}" in this team.`,
    rows.map(({ n }) => ({ path: `/suite_ids/${n}`, message: 'does not exist' })),
  );
}

/** Stores the hash of a secret as a token of a user, or updates the token that already has this secret. */
export async function storeToken(
  client: PoolClient,
  userId: string,
  { name, role, expires_at, created_by, reads_only = false, suite_ids = null, monthly_cap_usd = null }: TokenToStore,
  secret: string,
  isFromEnv = false,
): Promise<Token> {
  if (suite_ids) await checkSuites(client, userId, suite_ids);
  const isLimitedToken = isLimited({ readsOnly: reads_only, suiteIds: suite_ids, monthlyCapUsd: monthly_cap_usd });
  const { rows } = await client.query<TokenRow>(
    `WITH k AS (
       INSERT INTO token (id, team_id, user_id, name, role, hash, expires_at, from_env, created_by, reads_only,
         suite_ids, monthly_cap_usd)
       SELECT $1, u.team_id, u.id, $3, $4, $5, $6, $7, $8, $9, $10, $11 FROM users u WHERE u.id = $2
       ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at, from_env = excluded.from_env,
         monthly_cap_usd = excluded.monthly_cap_usd
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
