import { ProblemError } from '#lib/contracts/input/problem';
import type { Quota, QuotasInput } from '#lib/contracts/quotas';
import { QUOTA_NAMES, quotaFigure, QUOTAS, type QuotaName } from '#lib/contracts/values/quotas';
import type { Pool, PoolClient } from '../connection/pool.js';
import { takeTurn } from '../connection/take-turn.js';

/** Limits of this team hold for every team that has none of its own. */
export const ALL_TEAMS = '00000000-0000-0000-0000-000000000000';

/** SQL: the limit of a team. @param teamId SQL */
export const limitOf = (teamId: string, name: QuotaName): string => `coalesce(
  (SELECT most FROM quota WHERE team_id = ${teamId} AND name = '${name}'),
  (SELECT most FROM quota WHERE team_id = '${ALL_TEAMS}' AND name = '${name}'), ${QUOTAS[name].most})`;

/** SQL: jobs `j` of the team `$1` that count: child runs are covered by their parent, and a try-out is its own. */
const OWN_JOB = `FROM job j WHERE j.team_id = $1 AND j.parent_id IS NULL`;

/**
 * SQL: what the team `$1` has. Each costs milliseconds at most, however large the team: each suite has a count of its
 * cases (`count-cases.sql`), each day one of its items, and stored bytes are counted every minute (`count-storage.ts`).
 * Jobs that have not ended have an index of their own; of everything else there are some hundred rows.
 */
const USED: Record<QuotaName, string> = {
  suites: 'SELECT count(*) FROM suite WHERE team_id = $1',
  cases: 'SELECT sum(case_count) FROM suite WHERE team_id = $1',
  suite_bytes: `SELECT sum(case_bytes + octet_length(tools) + octet_length(description) +
    coalesce(octet_length(system_prompt), 0) + coalesce(octet_length(conversation), 0)) FROM suite WHERE team_id = $1`,
  providers: 'SELECT count(*) FROM provider WHERE team_id = $1',
  lanes: `SELECT count(*) FROM (
    SELECT lane_id FROM provider WHERE team_id = $1
    UNION SELECT m.lane_id FROM model m JOIN provider p ON p.id = m.provider_id
    WHERE p.team_id = $1 AND m.lane_id IS NOT NULL) lanes`,
  users: 'SELECT count(*) FROM users WHERE team_id = $1 AND removed_at IS NULL',
  tokens: `SELECT count(*) FROM token
    WHERE team_id = $1 AND deleted_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
  pending_jobs: `SELECT count(*) ${OWN_JOB} AND j.status = 'pending'`,
  running_jobs: `SELECT count(*) ${OWN_JOB} AND j.status IN ('queued', 'running')`,
  items_a_day: `SELECT items FROM team_day WHERE team_id = $1 AND day = (now() AT TIME ZONE 'UTC')::date`,
  stored_bytes: 'SELECT bytes FROM team_storage WHERE team_id = $1',
};

interface QuotaState {
  name: QuotaName;
  limit: number;
  used: number;
}

/** What a team may have and has, in the order of the names. */
export async function readStates(
  client: Pool | PoolClient,
  teamId: string,
  names: readonly QuotaName[],
): Promise<QuotaState[]> {
  const rows = names.map(
    (name) =>
      `SELECT '${name}' AS name, ${limitOf('$1', name)}::int8 AS limit, coalesce((${USED[name]}), 0)::int8 AS used`,
  );
  return (await client.query<QuotaState>(rows.join(' UNION ALL '), [teamId])).rows;
}

/** The quotas of a team with what it has, or of all teams. */
export async function readQuotas(client: Pool | PoolClient, teamId: string): Promise<Quota[]> {
  const { rows } = await client.query<{ name: string }>('SELECT name FROM quota WHERE team_id = $1', [teamId]);
  const set = new Set(rows.map(({ name }) => name));
  return (await readStates(client, teamId, QUOTA_NAMES)).map(({ name, limit, used }) => ({
    ...{ name, limit, default: QUOTAS[name].most, is_set: set.has(name) },
    used: teamId === ALL_TEAMS ? null : used,
  }));
}

/** Sets quotas of a team, or of all teams; null removes what was set. */
export async function setQuotas(client: PoolClient, teamId: string, quotas: QuotasInput['quotas']): Promise<void> {
  const given = QUOTA_NAMES.flatMap((name) => (quotas[name] === undefined ? [] : [{ name, most: quotas[name] }]));
  const [set, removed] = [given.filter(({ most }) => most !== null), given.filter(({ most }) => most === null)];
  await client.query(
    `INSERT INTO quota (team_id, name, most) SELECT $1, u.* FROM unnest($2::text[], $3::int8[]) u ORDER BY 2
     ON CONFLICT (team_id, name) DO UPDATE SET most = excluded.most`,
    [teamId, set.map(({ name }) => name), set.map(({ most }) => most)],
  );
  await client.query('DELETE FROM quota WHERE team_id = $1 AND name = ANY ($2)', [
    teamId,
    removed.map(({ name }) => name),
  ]);
}

/** What a transaction adds. */
export type Growth = Partial<Record<QuotaName, number>>;

/** Quotas of work are checked by those who hold a user; quotas of things by those who may hold providers or suites. */
const OF_WORK: ReadonlySet<QuotaName> = new Set(['pending_jobs', 'running_jobs', 'items_a_day', 'stored_bytes']);
type Kind = 'work' | 'things';

/**
 * Lets one transaction at a time count a team's work, or its things, until it commits. It is the last lock of a
 * transaction (`lockUser`).
 */
export async function lockQuotas(client: PoolClient, teamId: string, kind: Kind): Promise<void> {
  await takeTurn(client, `quota of ${kind}`, teamId);
}

/**
 * Refuses what a transaction has added if the team now has more than its quotas allow. Call it last in the transaction:
 * it counts what is there, so any number of transactions at once stay within the quota, and others of the team wait
 * for this one only from here to its commit. What does not grow is never refused, however low the quota.
 * @throws ProblemError 409
 */
export async function keepQuotas(client: PoolClient, teamId: string, growth: Growth): Promise<void> {
  const names = QUOTA_NAMES.filter((name) => (growth[name] ?? 0) > 0);
  if (names.length === 0) return;
  await lockQuotas(client, teamId, OF_WORK.has(names[0]!) ? 'work' : 'things');
  const over = (await readStates(client, teamId, names)).find(({ limit, used }) => used > limit);
  if (over) throw quotaReached({ ...over, used: over.used - growth[over.name]! }, growth[over.name]!);
}

/**
 * Refuses to store more for a team that stores as much as it may.
 * @param written what the caller has stored, or is about to, that is not counted yet
 * @throws ProblemError 409
 */
export async function keepStoring(db: Pool | PoolClient, teamId: string, written = 0): Promise<void> {
  const [state] = await readStates(db, teamId, ['stored_bytes']);
  if (state!.used + written >= state!.limit) throw quotaReached(state!, written);
}

/** @param asked how much more is refused; 0 where that is not known before */
export function quotaReached({ name, limit, used }: QuotaState, asked: number): ProblemError {
  const [most, has, more] = [limit, used, asked].map((figure) => quotaFigure(name, figure));
  return new ProblemError(
    409,
    `The quota of the team for ${QUOTAS[name].words} is reached: ${has} of ${most} are used` +
      `${asked > 0 ? `, and this needs ${more} more` : ''}. An owner of the team "default" can raise it.`,
  ).as('quota_reached', { quota: name, limit, used, asked });
}
