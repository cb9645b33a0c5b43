import { ProblemError } from '#lib/contracts/input/problem';
import type { Page, PageQuery } from '#lib/contracts/page';
import type { Team, Token } from '#lib/contracts/team';
import { newId } from '#lib/runtime/ids';
import { newAccessToken, sha256 } from '#lib/runtime/seal';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import type { Caller } from './callers.js';
import { toPage } from './page.js';
import { storeToken } from './tokens.js';

/**
 * Creates the first team, its owner and a token on an empty database. After every start the given admin token is valid,
 * and an admin token of an earlier start with another value is not. Two processes may do this at once.
 * @returns the generated token, when there was no team and no admin token was given
 */
export async function bootstrapTeam(pool: Pool, adminToken: string | undefined): Promise<string | undefined> {
  return inTransaction(pool, async (client) => {
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('bootstrap'))`);
    const { rows } = await client.query<{ id: string }>(
      `SELECT u.id FROM users u JOIN team t ON t.id = u.team_id WHERE t.name = 'default' ORDER BY u.id LIMIT 1`,
    );
    const isGiven = adminToken !== undefined;
    const generated = rows.length === 0 && !isGiven ? newAccessToken() : undefined;
    const secret = adminToken ?? generated;
    if (secret === undefined) return undefined;
    const userId = rows[0]?.id ?? (await insertTeam(client, 'default', newId())).userId;
    if (isGiven) await client.query('DELETE FROM token WHERE from_env AND hash <> $1', [sha256(secret)]);
    await storeToken(client, userId, { name: 'admin', role: 'owner', expires_at: null }, secret, isGiven);
    return generated;
  });
}

async function insertTeam(client: PoolClient, name: string, teamId: string): Promise<{ userId: string }> {
  const userId = newId();
  await client.query('INSERT INTO team (id, name) VALUES ($1, $2)', [teamId, name]);
  await client.query(`INSERT INTO users (id, team_id, name) VALUES ($1, $2, 'owner')`, [userId, teamId]);
  return { userId };
}

/** @throws ProblemError 409 when the name is taken */
export async function createTeam(
  db: Pool | PoolClient,
  name: string,
): Promise<{ team: Team; token: Token; secret: string }> {
  return inTransaction(db, async (client) => {
    const id = newId();
    const taken = await client.query('SELECT 1 FROM team WHERE name = $1', [name]);
    if (taken.rowCount) throw new ProblemError(409, `There is a team "${name}" already.`);
    const { userId } = await insertTeam(client, name, id);
    const secret = newAccessToken();
    const token = await storeToken(client, userId, { name: 'first owner', role: 'owner', expires_at: null }, secret);
    return { team: { id, name, created_at: new Date().toISOString() }, token, secret };
  });
}

/** Every team for owners of the team `default`, who create teams; only their own for other users. */
export async function listTeams(pool: Pool, caller: Caller, { limit, cursor }: PageQuery): Promise<Page<Team>> {
  const seesAll = caller.teamName === 'default' && caller.role === 'owner';
  const { rows } = await pool.query<{ id: string; name: string; created_at: Date }>(
    `SELECT id, name, created_at FROM team WHERE ($1::uuid IS NULL OR id = $1) AND ($2::uuid IS NULL OR id < $2)
      ORDER BY id DESC LIMIT $3`,
    [seesAll ? null : caller.teamId, cursor ?? null, limit + 1],
  );
  return toPage(
    rows.map(({ id, name, created_at }) => ({ id, name, created_at: created_at.toISOString() })),
    limit,
  );
}
