import { ProblemError } from '#lib/contracts/input/problem';
import type { Pool, PoolClient } from '../connection/pool.js';

/**
 * SQL: for the team `$1`, 2 if an owner can come in for good (by signing in, or with a token that does not expire), 1
 * if an owner can come in for now, 0 if none can. Tokens with limits manage nothing.
 */
const WAYS_IN = `SELECT coalesce(max(way), 0) AS way FROM (
    SELECT 2 AS way FROM users u JOIN person p ON p.id = u.person_id
    WHERE u.team_id = $1 AND u.removed_at IS NULL AND u.role = 'owner' AND p.issuer IS NOT NULL
    UNION ALL
    SELECT CASE WHEN k.expires_at IS NULL THEN 2 ELSE 1 END FROM token k JOIN users u ON u.id = k.user_id
    WHERE k.team_id = $1 AND k.role = 'owner' AND (k.expires_at IS NULL OR k.expires_at > now())
      AND NOT k.reads_only AND k.suite_ids IS NULL AND k.monthly_cap_usd IS NULL
      AND u.removed_at IS NULL AND (u.role IS NULL OR u.role = 'owner')
  ) ways`;

/** How an owner of a team can come in: 2 for good, 1 for now, 0 not at all. */
export async function waysIn(client: Pool | PoolClient, teamId: string): Promise<number> {
  const { rows } = await client.query<{ way: number }>(WAYS_IN, [teamId]);
  return rows[0]!.way;
}

/**
 * Makes a change of a member or a token of a team, unless it takes away the last way in for an owner. Such changes of
 * one team come one after another: of two owners who remove each other at once, one stays.
 * @param of.userId whose membership changes
 * @throws the problem of `refusal`, which rolls the transaction back
 */
export async function keepAWayIn<Made>(
  client: PoolClient,
  { teamId, userId }: { teamId: string; userId?: string | undefined },
  change: () => Promise<Made>,
  refusal: () => ProblemError = lastOwner,
): Promise<Made> {
  await client.query(
    `SELECT 1 FROM users
     WHERE team_id = $1 AND (id = $2 OR (removed_at IS NULL AND (role IS NULL OR role = 'owner')))
     ORDER BY id FOR NO KEY UPDATE`,
    [teamId, userId ?? null],
  );
  // The release before locks these alone.
  await client.query(`SELECT 1 FROM token WHERE team_id = $1 AND role = 'owner' ORDER BY id FOR UPDATE`, [teamId]);
  const before = await waysIn(client, teamId);
  const made = await change();
  if ((await waysIn(client, teamId)) < before) throw refusal();
  return made;
}

const lastOwner = (): ProblemError =>
  new ProblemError(
    409,
    'Nobody else can manage the team. Make somebody an owner who signs in, or create an owner token that does not ' +
      'expire, first.',
  ).as('last_owner');
