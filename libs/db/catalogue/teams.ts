import { ProblemError } from '#lib/contracts/input/problem';
import type { Page, PageQuery } from '#lib/contracts/page';
import type { OwnTeam } from '#lib/contracts/people';
import type { Team, Token } from '#lib/contracts/team';
import { newId } from '#lib/runtime/ids';
import { newAccessToken, sha256 } from '#lib/runtime/seal';
import type { Change } from '../audit-changes.js';
import { auditWork } from '../audit-work.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { isOperator, type Caller } from './callers.js';
import { toPage } from './page.js';
import { auditedToken, storeToken } from './tokens.js';
import { addMember } from './users.js';
import { waysIn } from './ways-in.js';

/** SQL: a user `u` whose tokens may have any role, and who does not leave when somebody leaves the provider. */
const CAN_BE_ADMIN = `u.removed_at IS NULL AND (u.role IS NULL OR u.role = 'owner')
  AND NOT EXISTS (SELECT 1 FROM person p WHERE p.id = u.person_id AND (p.issuer IS NOT NULL OR p.kind = 'service'))`;

/**
 * Creates the first team, its owner and a token on an empty database. After every start the given admin token is valid,
 * and an admin token of an earlier start is not, if it has another value or none is given now. Two processes may do
 * this at once.
 * @returns the generated token, when there was no team and no admin token was given
 */
export async function bootstrapTeam(pool: Pool, adminToken: string | undefined): Promise<string | undefined> {
  return inTransaction(pool, async (client) => {
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('bootstrap'))`);
    const { rows } = await client.query<{ teamId: string; userId: string | null }>(
      `SELECT t.id AS "teamId", (SELECT u.id FROM users u WHERE u.team_id = t.id AND ${CAN_BE_ADMIN}
         ORDER BY u.id LIMIT 1) AS "userId"
       FROM team t WHERE t.name = 'default'`,
    );
    const [team] = rows;
    const isGiven = adminToken !== undefined;
    await removeAdminTokens(client, 'hash IS DISTINCT FROM $1', isGiven ? sha256(adminToken) : null);
    const generated = !team && !isGiven ? newAccessToken() : undefined;
    const secret = adminToken ?? generated;
    if (secret === undefined) return undefined;
    const userId = team
      ? (team.userId ?? (await insertAdmin(client, team.teamId)))
      : (await insertTeam(client, 'default', newId())).userId;
    // It may belong to a user who was given a lower role since.
    await removeAdminTokens(client, 'user_id <> $1', userId);
    const { rowCount: isKnown } = await client.query('SELECT 1 FROM token WHERE hash = $1', [sha256(secret)]);
    const token = await storeToken(client, userId, { name: 'admin', role: 'owner', expires_at: null }, secret, isGiven);
    if (!isKnown) await auditAdminToken(client, 'token.create', token.id, { after: auditedToken(token) });
    return generated;
  });
}

/** @param which SQL with `$1`: tokens of the environment that count no more */
async function removeAdminTokens(client: PoolClient, which: string, value: string | null): Promise<void> {
  const { rows } = await client.query<{ id: string; name: string }>(
    `DELETE FROM token WHERE from_env AND ${which} RETURNING id, name`,
    [value],
  );
  for (const { id, name } of rows) await auditAdminToken(client, 'token.delete', id, { before: { name } });
}

/** An entry for the team `default`. */
async function auditAdminToken(
  client: PoolClient,
  action: 'token.create' | 'token.delete',
  tokenId: string,
  change: Change,
): Promise<void> {
  const { rows } = await client.query<{ id: string }>(`SELECT id FROM team WHERE name = 'default'`);
  await auditWork(client, rows[0]!.id, action, tokenId, { ...change, cause: 'the start of the API' });
}

/** Whether an owner of the team `default` can come in, with a token or by signing in. */
export async function canOperatorComeIn(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ id: string }>(`SELECT id FROM team WHERE name = 'default'`);
  return (await waysIn(pool, rows[0]!.id)) > 0;
}

async function insertAdmin(client: PoolClient, teamId: string): Promise<string> {
  const personId = newId();
  await client.query(`INSERT INTO person (id, name) VALUES ($1, 'owner')`, [personId]);
  const member = { teamId, personId, name: 'owner', role: null, givenBy: 'owner' } as const;
  return (await addMember(client, member))!.userId;
}

async function insertTeam(client: PoolClient, name: string, teamId: string): Promise<{ userId: string }> {
  const userId = newId();
  await client.query('INSERT INTO team (id, name) VALUES ($1, $2)', [teamId, name]);
  await client.query(`INSERT INTO users (id, team_id, name) VALUES ($1, $2, 'owner')`, [userId, teamId]);
  return { userId };
}

/** The ids of those teams that there are, by their names. */
export async function findTeamIds(db: Pool | PoolClient, names: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await db.query<{ id: string; name: string }>('SELECT id, name FROM team WHERE name = ANY ($1)', [
    names,
  ]);
  return new Map(rows.map(({ id, name }) => [name, id]));
}

/** Undefined when there is no such team. */
export async function findTeamName(db: Pool | PoolClient, teamId: string): Promise<string | undefined> {
  return (await db.query<{ name: string }>('SELECT name FROM team WHERE id = $1', [teamId])).rows[0]?.name;
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
  const { rows } = await pool.query<{ id: string; name: string; created_at: Date }>(
    `SELECT id, name, created_at FROM team WHERE ($1::uuid IS NULL OR id = $1) AND ($2::uuid IS NULL OR id < $2)
      ORDER BY id DESC LIMIT $3`,
    [isOperator(caller) ? null : caller.teamId, cursor ?? null, limit + 1],
  );
  return toPage(
    rows.map(({ id, name, created_at }) => ({ id, name, created_at: created_at.toISOString() })),
    limit,
  );
}

/** The teams of a caller: all of a person who signed in at a provider, else the one of the token. */
export async function listOwnTeams(pool: Pool, caller: Caller, { limit, cursor }: PageQuery): Promise<Page<OwnTeam>> {
  const isOfPerson = caller.kind === 'session' && caller.tokenId === null;
  const { rows } = await pool.query<OwnTeam>(
    `SELECT t.id, t.name, coalesce(u.role, 'viewer') AS role, t.id = $3 AS is_current
     FROM users u JOIN team t ON t.id = u.team_id
     WHERE (u.id = $1 OR u.person_id = $2) AND u.removed_at IS NULL AND ($4::uuid IS NULL OR t.id < $4)
     ORDER BY t.id DESC LIMIT $5`,
    [caller.userId, isOfPerson ? caller.personId : null, caller.teamId, cursor ?? null, limit + 1],
  );
  return toPage(
    rows.map((team) => (team.is_current ? { ...team, role: caller.role } : team)),
    limit,
  );
}
