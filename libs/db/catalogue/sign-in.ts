import { ProblemError } from '#lib/contracts/input/problem';
import type { Role } from '#lib/contracts/team';
import { newId } from '#lib/runtime/ids';
import { sha256 } from '#lib/runtime/seal';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { auditWork } from '../audit-work.js';
import { audit } from './audit.js';
import { hideFromEarlierRelease, type RequestFacts } from './callers.js';
import { keepQuotas } from './quotas.js';
import { addMember, endMembership, renameMember, type Giver } from './users.js';

/** Whom a provider has signed in. Issuer and subject say who it is; name and address are for people to read. */
export interface SignedInPerson {
  issuer: string;
  subject: string;
  name: string;
  email: string | null;
}

/** A team and role that a rule gives. */
export interface GivenMembership {
  team: string;
  role: Role;
}

interface Membership {
  id: string;
  teamId: string;
  team: string;
  name: string;
  role: Role | null;
  givenBy: Giver;
  removedBy: Giver | null;
  isRemoved: boolean;
}

/** Creates the teams that rules name, unless they exist. Two processes may do this at once. */
export async function createMissingTeams(pool: Pool, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await inTransaction(pool, async (client) => {
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('bootstrap'))`);
    for (const name of new Set(names)) {
      const id = newId();
      const { rowCount } = await client.query(
        'INSERT INTO team (id, name) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
        [id, name],
      );
      if (rowCount) await auditWork(client, id, 'team.create', id, { after: { name }, cause: BY_RULE });
    }
  });
}

/**
 * Records that a sign-in has come back from its provider. @returns false if it had come back before
 * @param state what the provider sent back
 */
export async function finishOnce(pool: Pool, state: string, expiresAt: Date): Promise<boolean> {
  const { rowCount } = await pool.query(
    `INSERT INTO finished_sign_in (hash, expires_at) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING`,
    [sha256(state), expiresAt],
  );
  return rowCount === 1;
}

export async function forgetFinishedSignIns(pool: Pool): Promise<void> {
  await pool.query('DELETE FROM finished_sign_in WHERE expires_at < now()');
}

/**
 * The person of this issuer and subject, created at the first sign-in. Its row stays locked, so that sign-ins and
 * re-readings of one person follow each other.
 */
export async function enterPerson(
  client: PoolClient,
  { issuer, subject, name, email }: SignedInPerson,
): Promise<{ personId: string; isNew: boolean }> {
  const { rows } = await client.query<{ personId: string; isNew: boolean }>(
    `INSERT INTO person (id, issuer, subject, name, email) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (issuer, subject) DO UPDATE SET name = excluded.name, email = excluded.email
     RETURNING id AS "personId", xmax = 0 AS "isNew"`,
    [newId(), issuer, subject, name, email],
  );
  return rows[0]!;
}

/** Removes a person who has just been created and is in no team. */
export async function forgetPerson(client: PoolClient, personId: string): Promise<void> {
  await client.query('DELETE FROM person WHERE id = $1', [personId]);
}

/**
 * Brings the memberships of a person in line with what the rules give. Those that owners gave are left alone, and
 * those that an owner ended stay ended. The person's row must be locked. A team that reached its quota of users takes
 * nobody in, and nobody is removed for that.
 * @param person.request with which the person signs in; left out when claims are read again
 * @returns why teams took the person not in
 */
export async function followRules(
  client: PoolClient,
  { personId, name, request }: { personId: string; name: string; request?: RequestFacts },
  given: readonly GivenMembership[],
): Promise<ProblemError[]> {
  const joins: { team: { id: string }; existing: Membership | undefined; role: Role }[] = [];
  const memberships = await membershipsOf(client, personId);
  const { rows: teams } = await client.query<{ id: string; name: string }>(
    'SELECT id, name FROM team WHERE name = ANY ($1) ORDER BY id',
    [given.map(({ team }) => team)],
  );
  for (const team of teams) {
    const { role } = given.find((one) => one.team === team.name)!;
    const existing = memberships.find(({ teamId }) => teamId === team.id);
    if (!existing || (existing.isRemoved && existing.removedBy === 'rule')) joins.push({ team, existing, role });
    else await followRule(client, existing, role, request);
  }
  for (const { id, teamId, team, name: before, role, givenBy, isRemoved } of memberships) {
    if (isRemoved || givenBy !== 'rule' || given.some((one) => one.team === team)) continue;
    await endMembership(client, id, 'rule');
    const change = { before: { name: before, role }, cause: BY_RULE };
    await audit(client, actorOf(teamId, id, request), 'user.delete', id, change);
  }
  for (const { id, teamId, name: old } of memberships)
    if (!isNamed(old, name)) await renameMember(client, { userId: id, teamId }, name);
  // Last, because names come before the quotas in the order of locks.
  const full: ProblemError[] = [];
  for (const { team, existing, role } of joins) {
    const problem = await orFull(client, team.id, async () => {
      if (existing) return followRule(client, existing, role, request);
      const joined = await addMember(client, { teamId: team.id, personId, name, role, givenBy: 'rule' });
      const change = { after: { name: joined?.userName, role }, cause: BY_RULE };
      if (joined) await audit(client, actorOf(team.id, joined.userId, request), 'user.create', joined.userId, change);
    });
    if (problem) full.push(problem);
  }
  return full;
}

/** Takes somebody in, unless the team reached its quota of users. @returns the problem then */
async function orFull(
  client: PoolClient,
  teamId: string,
  takeIn: () => Promise<void>,
): Promise<ProblemError | undefined> {
  await client.query('SAVEPOINT joining');
  try {
    await takeIn();
    await keepQuotas(client, teamId, { users: 1 });
    await client.query('RELEASE SAVEPOINT joining');
    return undefined;
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === 'quota_reached')) throw error;
    await client.query('ROLLBACK TO SAVEPOINT joining');
    return error;
  }
}

async function membershipsOf(client: PoolClient, personId: string): Promise<Membership[]> {
  const { rows } = await client.query<Membership>(
    `SELECT u.id, u.team_id AS "teamId", t.name AS team, u.name, u.role, u.given_by AS "givenBy",
       u.removed_by AS "removedBy", u.removed_at IS NOT NULL AS "isRemoved"
     FROM users u JOIN team t ON t.id = u.team_id WHERE u.person_id = $1 ORDER BY u.id FOR NO KEY UPDATE OF u`,
    [personId],
  );
  return rows;
}

/** Rules follow what the provider says of a person, who is the actor when they sign in. */
const BY_RULE = 'a rule of sign-in';
const actorOf = (teamId: string, userId: string, request: RequestFacts | undefined) => ({
  teamId,
  userId: request ? userId : null,
  request,
});

async function followRule(
  client: PoolClient,
  membership: Membership,
  role: Role,
  request: RequestFacts | undefined,
): Promise<void> {
  const { id, teamId, givenBy, isRemoved, removedBy } = membership;
  if (isRemoved ? removedBy !== 'rule' : givenBy !== 'rule' || membership.role === role) return;
  await client.query(
    `UPDATE users SET role = $2, given_by = 'rule', removed_at = NULL, removed_by = NULL WHERE id = $1`,
    [id, role],
  );
  await hideFromEarlierRelease(client, id);
  const before = isRemoved ? undefined : { role: membership.role, given_by: givenBy };
  const change = { before, after: { role, given_by: 'rule' }, cause: BY_RULE };
  await audit(client, actorOf(teamId, id, request), isRemoved ? 'user.create' : 'user.update', id, change);
}

/** Whether a member has this name, or this name with a number. */
const isNamed = (member: string, name: string): boolean =>
  member === name || (member.startsWith(`${name} (`) && /^\d+\)$/.test(member.slice(name.length + 2)));
