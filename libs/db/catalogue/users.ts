import { ProblemError } from '#lib/contracts/input/problem';
import type { Role } from '#lib/contracts/team';
import { newId } from '#lib/runtime/ids';
import type { PoolClient } from '../connection/pool.js';
import { hideFromEarlierRelease } from './callers.js';

/** Who gave a membership, or took it away: an owner, or a rule of sign-in. */
export type Giver = 'owner' | 'rule';

/** A person in a team. */
export interface Membership {
  userId: string;
  userName: string;
  teamId: string;
  teamName: string;
  role: Role;
}

export interface NewMember {
  teamId: string;
  personId: string;
  /** One that is taken in the team gets a number. */
  name: string;
  role: Role | null;
  givenBy: Giver;
}

/** Names are unique in a team, also those of members who left: their work bears them. */
const MAX_NAME = 100;
/** How many numbers are tried behind a name that is taken. */
const MOST_NAMESAKES = 1000;
/** SQL of a query: the first of `Ada`, `Ada (2)`, `Ada (3)` that nobody in the team has or had. */
const freeName = (teamId: string, name: string): string => `
  SELECT candidate.name FROM (
    SELECT ${name}::text AS name, 1 AS n
    UNION ALL
    SELECT left(${name}, ${MAX_NAME - 8}) || ' (' || n || ')', n FROM generate_series(2, ${MOST_NAMESAKES}) n
  ) candidate
  WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.team_id = ${teamId} AND u.name = candidate.name)
  ORDER BY n LIMIT 1`;
/** Another process may take the free name first. */
const ATTEMPTS = 5;

/**
 * Makes a person, who never was one, a member of a team.
 * @returns undefined when the person is or was a member: another process was faster
 */
export async function addMember(
  client: PoolClient,
  { teamId, personId, name, role, givenBy }: NewMember,
): Promise<{ userId: string; userName: string } | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { rows } = await client.query<{ userId: string; userName: string }>(
      `INSERT INTO users (id, team_id, person_id, name, role, given_by)
       SELECT $1, $2, $3, free.name, $5, $6 FROM (${freeName('$2', '$4')}) free
       ON CONFLICT DO NOTHING RETURNING id AS "userId", name AS "userName"`,
      [newId(), teamId, personId, name.slice(0, MAX_NAME), role, givenBy],
    );
    if (rows[0]) return rows[0];
    const known = await client.query('SELECT 1 FROM users WHERE team_id = $1 AND person_id = $2', [teamId, personId]);
    if (known.rowCount) return undefined;
  }
  throw new ProblemError(409, `Too many members of the team are called "${name}".`);
}

/** Gives a member another name, with a number if it is taken in the team. */
export async function renameMember(
  client: PoolClient,
  { userId, teamId }: Pick<Membership, 'userId' | 'teamId'>,
  name: string,
): Promise<void> {
  await client.query(`UPDATE users SET name = coalesce((${freeName('$2', '$3')}), name) WHERE id = $1`, [
    userId,
    teamId,
    name.slice(0, MAX_NAME),
  ]);
}

/** @throws ProblemError 409 when the team has or had a user of this name */
export async function checkNameIsFree(client: PoolClient, teamId: string, name: string): Promise<void> {
  const { rows } = await client.query<{ id: string }>('SELECT id FROM users WHERE team_id = $1 AND name = $2', [
    teamId,
    name,
  ]);
  if (rows[0])
    throw new ProblemError(409, `The team has or had a user "${name}". Choose another name.`, [
      { path: '/name', message: 'is taken' },
    ]).as('name_taken', { what: 'user', name, id: rows[0].id });
}

/**
 * Ends a membership. Tokens of the user have no caller any more. Sessions of the person go on in other teams, or end
 * with the last one.
 */
export async function endMembership(client: PoolClient, userId: string, by: Giver): Promise<void> {
  const { rows } = await client.query<{ personId: string }>(
    `UPDATE users SET removed_at = now(), removed_by = $2 WHERE id = $1 AND removed_at IS NULL
     RETURNING person_id AS "personId"`,
    [userId, by],
  );
  if (!rows[0]) return;
  await hideFromEarlierRelease(client, userId);
  const { personId } = rows[0];
  await client.query(
    `UPDATE session s SET user_id = other.id FROM (
       SELECT id FROM users WHERE person_id = $2 AND removed_at IS NULL ORDER BY id LIMIT 1
     ) other WHERE s.user_id = $1 AND s.person_id = $2`,
    [userId, personId],
  );
  await client.query('DELETE FROM session WHERE user_id = $1 AND person_id = $2', [userId, personId]);
}

/** The name that a person has at the provider, or had at first. */
export async function nameOfPerson(client: PoolClient, personId: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>('SELECT name FROM person WHERE id = $1', [personId]);
  return rows[0]!.name;
}
