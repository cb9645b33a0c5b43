import { ProblemError } from '#lib/contracts/problem';
import type { Page } from '#lib/contracts/page';
import type { Role, Team, Token, TokenInput } from '#lib/contracts/team';
import { newId } from '#lib/runtime/ids';
import { newAccessToken, sha256 } from '#lib/runtime/seal';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import type { Prisma } from '../connection/prisma.js';

/** Who asks. */
export interface Caller {
  tokenId: string;
  teamId: string;
  teamName: string;
  userId: string;
  userName: string;
  role: Role;
}

/**
 * Makes the first team, its owner and a token on an empty database, and sees to it that the admin token is valid
 * after every start, and that one with another value, which an earlier start was given, is not. Two processes may
 * do this at once.
 * @returns the generated token, when there was no team and no admin token was given
 */
export async function bootstrapTeam(pool: Pool, adminToken: string | undefined): Promise<string | undefined> {
  return inTransaction(pool, async (client) => {
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('bootstrap'))`);
    const { rows } = await client.query<{ id: string }>(
      `SELECT u.id FROM users u JOIN team t ON t.id = u.team_id WHERE t.name = 'default' ORDER BY u.id LIMIT 1`,
    );
    const generated = rows.length === 0 && adminToken === undefined ? newAccessToken() : undefined;
    const secret = adminToken ?? generated;
    if (secret === undefined) return undefined;
    const userId = rows[0]?.id ?? (await insertTeam(client, 'default', newId())).userId;
    if (adminToken !== undefined)
      await client.query('DELETE FROM token WHERE from_env AND hash <> $1', [sha256(adminToken)]);
    await insertToken(
      client,
      userId,
      { name: 'admin', role: 'owner', expires_at: null },
      secret,
      adminToken !== undefined,
    );
    return generated;
  });
}

async function insertTeam(client: PoolClient, name: string, teamId: string): Promise<{ userId: string }> {
  const userId = newId();
  await client.query('INSERT INTO team (id, name) VALUES ($1, $2)', [teamId, name]);
  await client.query(`INSERT INTO users (id, team_id, name) VALUES ($1, $2, 'owner')`, [userId, teamId]);
  return { userId };
}

async function insertToken(
  client: PoolClient,
  userId: string,
  input: TokenInput,
  secret: string,
  fromEnv = false,
): Promise<Token> {
  const { rows } = await client.query<TokenRow>(
    `INSERT INTO token (id, team_id, user_id, name, role, hash, expires_at, from_env)
      SELECT $1, u.team_id, u.id, $3, $4, $5, $6, $7 FROM users u WHERE u.id = $2
     ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at, from_env = excluded.from_env
     RETURNING id, name, role, expires_at, created_at, (SELECT name FROM users WHERE id = $2) AS user_name`,
    [newId(), userId, input.name, input.role, sha256(secret), input.expires_at, fromEnv],
  );
  return toToken(rows[0]!);
}

interface TokenRow {
  id: string;
  name: string;
  role: Role;
  expires_at: Date | null;
  created_at: Date;
  user_name: string;
}
const toToken = (row: TokenRow): Token => ({
  id: row.id,
  name: row.name,
  role: row.role,
  user: row.user_name,
  expires_at: row.expires_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
});

/** Whose token this is; undefined when it is unknown or expired. */
export async function findCaller(pool: Pool, secret: string): Promise<Caller | undefined> {
  return (await findCallers(pool, [secret])).get(secret);
}

/**
 * Whose tokens these are, by token, in one statement however many there are; those that are unknown or expired are
 * not in it.
 */
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

export async function createTeam(
  pool: Pool | PoolClient,
  name: string,
): Promise<{ team: Team; token: Token; secret: string }> {
  return inTransaction(pool, async (client) => {
    const id = newId();
    const taken = await client.query('SELECT 1 FROM team WHERE name = $1', [name]);
    if (taken.rowCount) throw new ProblemError(409, `There is a team "${name}" already.`);
    const { userId } = await insertTeam(client, name, id);
    const secret = newAccessToken();
    const token = await insertToken(client, userId, { name: 'first owner', role: 'owner', expires_at: null }, secret);
    return { team: { id, name, created_at: new Date().toISOString() }, token, secret };
  });
}

/** All teams for an owner of `default`, who makes them; its own for everyone else. */
export async function listTeams(
  prisma: Prisma,
  caller: Caller,
  limit: number,
  cursor: string | undefined,
): Promise<Page<Team>> {
  const mine = caller.teamName === 'default' && caller.role === 'owner' ? {} : { id: caller.teamId };
  const rows = await prisma.team.findMany({
    where: { AND: [mine, cursor ? { id: { lt: cursor } } : {}] },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  return page(
    rows.map((row) => ({ id: row.id, name: row.name, created_at: row.created_at.toISOString() })),
    limit,
  );
}

export async function createToken(
  pool: Pool | PoolClient,
  caller: Caller,
  input: TokenInput,
): Promise<{ token: Token; secret: string }> {
  return inTransaction(pool, async (client) => {
    const name = input.user ?? caller.userName;
    await client.query(
      'INSERT INTO users (id, team_id, name) VALUES ($1, $2, $3) ON CONFLICT (team_id, name) DO NOTHING',
      [newId(), caller.teamId, name],
    );
    const { rows } = await client.query<{ id: string }>('SELECT id FROM users WHERE team_id = $1 AND name = $2', [
      caller.teamId,
      name,
    ]);
    const secret = newAccessToken();
    return { token: await insertToken(client, rows[0]!.id, input, secret), secret };
  });
}

export async function listTokens(
  prisma: Prisma,
  teamId: string,
  limit: number,
  cursor: string | undefined,
): Promise<Page<Token>> {
  const rows = await prisma.token.findMany({
    where: { team_id: teamId, ...(cursor && { id: { lt: cursor } }) },
    include: { user: true },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  return page(
    rows.map((row) => toToken({ ...row, role: row.role as Role, user_name: row.user.name })),
    limit,
  );
}

export async function deleteToken(
  pool: Pool | PoolClient,
  teamId: string,
  id: string,
): Promise<'deleted' | 'last-owner' | 'not-found'> {
  return inTransaction(pool, async (client) => {
    // The lock keeps two owners from deleting each other's token as the last but one.
    const { rows } = await client.query<{ id: string; lasting: boolean }>(
      `SELECT id, role = 'owner' AND expires_at IS NULL AS lasting FROM token WHERE team_id = $1
        AND (id = $2 OR role = 'owner') ORDER BY id FOR UPDATE`,
      [teamId, id],
    );
    const token = rows.find((row) => row.id === id);
    if (!token) return 'not-found';
    if (token.lasting && !rows.some((row) => row.lasting && row.id !== id)) return 'last-owner';
    await client.query('DELETE FROM token WHERE id = $1', [id]);
    return 'deleted';
  });
}

/** A page out of rows of which one more than the limit was read. */
export function page<Item extends { id: string }>(rows: Item[], limit: number): Page<Item> {
  const items = rows.slice(0, limit);
  return { items, next_cursor: rows.length > limit ? items.at(-1)!.id : null };
}
