import type { Role } from '#lib/contracts/team';
import { ROLES } from '#lib/contracts/values/team';
import { sha256 } from '#lib/runtime/seal';
import type { Pool, PoolClient } from '../connection/pool.js';

/** What authenticates a request: a token, or the value of a session cookie. The two are not interchangeable. */
export interface Credential {
  kind: 'token' | 'session';
  secret: string;
  /** The id of the team that the page shows, of several that its user is in. */
  team?: string | undefined;
}

/** What a token may do less than its role: also in the sessions that began with it. */
export interface TokenLimits {
  readsOnly: boolean;
  /** Ids of suites; null: all of the team. */
  suiteIds: readonly string[] | null;
  /** US dollars in a calendar month; null: no cap. */
  monthlyCapUsd: number | null;
}

/** What the audit says about a request, apart from its caller. */
export interface RequestFacts {
  id: string;
  /** The address that it came from; null if unknown. */
  address: string | null;
}

/** The user, role and team that a request comes from. */
export interface Caller {
  kind: Credential['kind'];
  /** The token of the request, or the one its session began with; null for a session of a sign-in at a provider. */
  tokenId: string | null;
  tokenName: string | null;
  /** When the token expires; null for never, or for no token. */
  tokenExpiresAt: Date | null;
  sessionId: string | null;
  personId: string;
  personKind: 'person' | 'service';
  teamId: string;
  teamName: string;
  /** The membership of the person in the team. */
  userId: string;
  userName: string;
  /** The lower one of the token's and the membership's. */
  role: Role;
  limits: TokenLimits;
  /** The request, for callers of requests. */
  request?: RequestFacts;
}

/** Whether a token, or the session that began with it, may do less than its role. */
export const isLimited = ({ readsOnly, suiteIds, monthlyCapUsd }: TokenLimits): boolean =>
  readsOnly || suiteIds !== null || monthlyCapUsd !== null;

/** SQL: whether a session `s` has ended by itself. It also ends with its token, its user, or when somebody ends it. */
export const SESSION_HAS_ENDED = `(
  s.expires_at <= now() OR s.last_used_at <= now() - s.idle_hours * interval '1 hour')`;

/**
 * Whether an owner of the team `default` asks, who operates the installation: reads and changes what is of all teams. A
 * token that is limited to suites is none; one that only reads is refused every change before.
 */
export const isOperator = ({ teamName, role, limits }: Pick<Caller, 'teamName' | 'role' | 'limits'>): boolean =>
  teamName === 'default' && role === 'owner' && limits.suiteIds === null;

const HIDDEN = 'limited ';
/**
 * What a secret is stored under that the release before must not accept, because it does not know what it means: a
 * token with limits, a session that began with one or at a provider. That release hashes whatever it is given, and no
 * text has this hash.
 */
export const limitedHash = (secret: string): string => HIDDEN + sha256(secret);
/** SQL: whether something is stored so. */
export const isHidden = (hash: string): string => `starts_with(${hash}, '${HIDDEN}')`;
/** SQL: what it is stored under then. */
export const hidden = (hash: string): string =>
  `CASE WHEN ${isHidden(hash)} THEN ${hash} ELSE '${HIDDEN}' || ${hash} END`;

/**
 * Keeps the tokens and sessions of a user, whose membership has changed, from the release before: it knows the roles of
 * tokens alone.
 */
export async function hideFromEarlierRelease(client: PoolClient, userId: string): Promise<void> {
  for (const table of ['token', 'session'])
    await client.query(`UPDATE ${table} SET hash = ${hidden('hash')} WHERE user_id = $1 AND NOT ${isHidden('hash')}`, [
      userId,
    ]);
}
/** What a token or a session may be stored under. */
export const hashesOf = (secret: string): string[] => [sha256(secret), limitedHash(secret)];

const COLUMNS = `
  k.id AS "tokenId", k.name AS "tokenName", k.expires_at AS "tokenExpiresAt",
  k.role AS "tokenRole", u.role AS "userRole",
  coalesce(k.reads_only, false) AS "readsOnly", k.suite_ids AS "suiteIds", k.monthly_cap_usd AS "monthlyCapUsd",
  coalesce(u.person_id, u.id) AS "personId", coalesce(p.kind, 'person') AS "personKind",
  u.id AS "userId", u.name AS "userName", t.id AS "teamId", t.name AS "teamName"`;
const STATEMENTS: Record<Credential['kind'], { name: string; text: string }> = {
  token: {
    name: 'find_callers',
    text: `SELECT a.n, NULL AS "sessionId", ${COLUMNS}
      FROM token k JOIN unnest($1::int[], $2::text[], $3::uuid[]) AS a (n, hash, team) ON a.hash = k.hash
        JOIN users u ON u.id = k.user_id JOIN team t ON t.id = k.team_id
        LEFT JOIN person p ON p.id = u.person_id
      WHERE (k.expires_at IS NULL OR k.expires_at > now()) AND u.removed_at IS NULL`,
  },
  // A person who signed in at a provider is in the team that the page asks for, else in the one of the last time.
  session: {
    name: 'find_callers_of_sessions',
    text: `SELECT a.n, s.id AS "sessionId", ${COLUMNS}
      FROM unnest($1::int[], $2::text[], $3::uuid[]) AS a (n, hash, team)
        JOIN session s ON s.hash = a.hash
        CROSS JOIN LATERAL (
          SELECT m.* FROM users m
          WHERE (m.id = s.user_id OR m.person_id = s.person_id) AND (a.team IS NULL OR m.team_id = a.team)
            AND m.removed_at IS NULL
          ORDER BY m.id = s.user_id DESC, m.id LIMIT 1
        ) u
        JOIN team t ON t.id = u.team_id LEFT JOIN person p ON p.id = u.person_id LEFT JOIN token k ON k.id = s.token_id
      WHERE NOT ${SESSION_HAS_ENDED} AND (k.expires_at IS NULL OR k.expires_at > now())`,
  },
};

interface CallerRow extends Omit<Caller, 'kind' | 'role' | 'limits' | 'request'>, TokenLimits {
  n: number;
  tokenRole: Role | null;
  userRole: Role | null;
}

/** The caller of a token or a session; undefined when it is unknown or has ended, or its user is not in the team. */
export async function findCaller(db: Pool | PoolClient, credential: Credential): Promise<Caller | undefined> {
  return (await findCallers(db, credential.kind, [credential]))[0];
}

/** The callers of many credentials of one kind, in their order, in one statement. Ended ones have none. */
export async function findCallers(
  db: Pool | PoolClient,
  kind: Credential['kind'],
  credentials: readonly Omit<Credential, 'kind'>[],
): Promise<(Caller | undefined)[]> {
  const asked = credentials.flatMap(({ secret, team }, n) => hashesOf(secret).map((hash) => ({ n, hash, team })));
  const { rows } = await db.query<CallerRow>({
    ...STATEMENTS[kind],
    values: [asked.map(({ n }) => n), asked.map(({ hash }) => hash), asked.map(({ team }) => team ?? null)],
  });
  const found = new Map(rows.map((row) => [row.n, toCaller(kind, row)]));
  return credentials.map((_credential, n) => found.get(n));
}

function toCaller(kind: Credential['kind'], row: CallerRow): Caller {
  const { n: _, tokenRole, userRole, readsOnly, suiteIds, monthlyCapUsd, ...caller } = row;
  const role = lowest(tokenRole ?? userRole ?? 'viewer', userRole);
  return { kind, ...caller, role, limits: { readsOnly, suiteIds, monthlyCapUsd } };
}

/** The lower one of two roles; null does not bound. */
export const lowest = (role: Role, bound: Role | null): Role =>
  bound !== null && ROLES.indexOf(bound) < ROLES.indexOf(role) ? bound : role;

/** Whose token or session a request used. */
export type TokenOwner = Pick<Caller, 'teamId' | 'userId' | 'tokenId'>;

/** Why a credential has no caller. */
export type NoCaller =
  | { why: 'unknown' }
  | { why: 'expired'; tokenName: string; expiredAt: Date; owner: TokenOwner }
  | { why: 'not-in-team' }
  | { why: 'removed'; teamName: string; owner: TokenOwner };

/** Why `findCaller` found nobody, for a sentence that whoever holds the secret can act on. */
export async function whyNoCaller(db: Pool | PoolClient, { kind, secret, team }: Credential): Promise<NoCaller> {
  if (kind === 'session') {
    const isInOther = team !== undefined && (await findCaller(db, { kind, secret })) !== undefined;
    return { why: isInOther ? 'not-in-team' : 'unknown' };
  }
  const { rows } = await db.query<
    TokenOwner & { tokenName: string; teamName: string; expiredAt: Date | null; isRemoved: boolean }
  >(
    `SELECT k.id AS "tokenId", k.team_id AS "teamId", k.user_id AS "userId", k.name AS "tokenName",
       t.name AS "teamName", u.removed_at IS NOT NULL AS "isRemoved",
       CASE WHEN k.expires_at <= now() THEN k.expires_at END AS "expiredAt"
     FROM token k JOIN users u ON u.id = k.user_id JOIN team t ON t.id = k.team_id WHERE k.hash = ANY ($1)`,
    [hashesOf(secret)],
  );
  const [token] = rows;
  if (!token) return { why: 'unknown' };
  const { tokenName, teamName, expiredAt, isRemoved, ...owner } = token;
  if (expiredAt) return { why: 'expired', tokenName, expiredAt, owner };
  return isRemoved ? { why: 'removed', teamName, owner } : { why: 'unknown' };
}
