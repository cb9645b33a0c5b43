import type { AuditChange, AuditEntry, AuditFilter } from '#lib/contracts/audit';
import type { Page, PageQuery } from '#lib/contracts/page';
import { hasFormOfId, newId, timeOfId } from '#lib/runtime/ids';
import type { Pool } from '../connection/pool.js';

/** Maximum number of entries that a page looks through for those that match its filters. */
const MAX_SCANNED = 20_000;
/** How far the time in an id may be from the time of the entry: they are of two clocks. */
const CLOCKS_MS = 3600_000;
/** An entry is written while its request is answered, which may take so long; a refusal at the start of its minute. */
const [BEFORE_REQUEST_MS, AFTER_REQUEST_MS] = [120_000, 7 * 3600_000];
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Whose entries are read. */
export interface AuditScope {
  teamId: string;
  /** Also those of no team: wrong tokens, sign-ins that failed. */
  withNobodys: boolean;
}

interface Row {
  scanned: number;
  last: string | null;
  id: string | null;
  at: Date;
  action: string;
  subject: string;
  subjectName: string | null;
  teamId: string | null;
  userId: string | null;
  userName: string | null;
  tokenId: string | null;
  tokenName: string | null;
  sessionId: string | null;
  address: string | null;
  requestId: string | null;
  changes: string | null;
  cause: string | null;
  count: number;
}

/**
 * A page of the audit, the newest first. It looks through a limited number of entries, however few match, so it may
 * hold fewer than `limit`: its cursor leads on.
 */
export async function readAudit(
  pool: Pool,
  { teamId, withNobodys }: AuditScope,
  filter: Omit<AuditFilter, 'team_id'>,
  { limit, cursor }: PageQuery,
): Promise<Page<AuditEntry>> {
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const scanned = isFiltered ? MAX_SCANNED : limit + 1;
  const { first, last } = idsOf(filter);
  const { rows } = await pool.query<Row>({
    name: withNobodys ? 'read_audit_of_operator' : 'read_audit',
    text: statement(withNobodys),
    values: [
      ...[teamId, first, last, cursor ?? LAST_ID, scanned, limit + 1],
      ...[filter.action?.endsWith('.') ? null : filter.action, filter.action?.endsWith('.') ? filter.action : null],
      ...[filter.user_id, filter.token_id, filter.subject, filter.address, filter.request_id, filter.from, filter.to],
    ].map((value) => value ?? null),
  });
  const found = rows.filter(({ id }) => id !== null);
  const shown = found.slice(0, limit);
  const [state] = rows;
  const hasMore = found.length > limit || state!.scanned === scanned;
  const next = found.length > limit ? shown.at(-1)!.id : state!.last;
  return { items: shown.map(toEntry), next_cursor: hasMore ? next : null };
}

const NOBODY = 'a.team_id IS NULL';
const COLUMNS = `a.id, a.at, a.action, a.subject, a.team_id, a.user_id, a.token_id, a.session_id, a.address,
  a.request_id, a.changes, a.cause, a.count`;

/** Where the names of subjects are, by what stands before the point of an action. */
const NAMES: Readonly<Record<string, string>> = {
  experiment: 'name FROM experiment',
  gate: 'name FROM gate',
  lane: 'name FROM lane',
  param_preset: 'name FROM param_preset',
  prompt_version: 'label FROM prompt_version',
  run: 'coalesce(name, suite_name) FROM run',
  suite: 'name FROM suite',
  token: 'name FROM token',
  user: 'name FROM users',
};
const BEGINS_WITH_ID = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}( |$)';
/** SQL: what people call the subject of the entry `m`, if it is there. */
const SUBJECT_NAME = `CASE WHEN m.subject ~ '${BEGINS_WITH_ID}' THEN CASE split_part(m.action, '.', 1)
  ${Object.entries(NAMES)
    .map(
      ([kind, name]) =>
        `WHEN '${kind}' THEN (SELECT ${name} WHERE id = left(m.subject, 36)::uuid AND team_id = m.team_id)`,
    )
    .join('\n  ')}
  WHEN 'team' THEN (SELECT name FROM team WHERE id = left(m.subject, 36)::uuid)
  END END`;

/** An index leads from entry to entry of a team, and of nobody: all bounds are conditions of it in every plan. */
function statement(withNobodys: boolean): string {
  const newest = (whose: string): string => `(
    SELECT ${COLUMNS} FROM audit a
    WHERE ${whose} AND a.id >= $2 AND a.id <= $3 AND a.id < $4
    ORDER BY a.id DESC LIMIT $5)`;
  const scanned = withNobodys
    ? `SELECT * FROM (${newest('a.team_id = $1')} UNION ALL ${newest(NOBODY)}) a ORDER BY a.id DESC LIMIT $5`
    : newest('a.team_id = $1');
  return `WITH scanned AS MATERIALIZED (${scanned}), matching AS (
      SELECT * FROM scanned a
      WHERE ($7::text IS NULL OR a.action = $7) AND ($8::text IS NULL OR starts_with(a.action, $8))
        AND ($9::uuid IS NULL OR a.user_id = $9) AND ($10::uuid IS NULL OR a.token_id = $10)
        AND ($11::text IS NULL OR a.subject = $11 OR starts_with(a.subject, $11 || ' '))
        AND ($12::text IS NULL OR a.address = $12) AND ($13::text IS NULL OR a.request_id = $13)
        AND ($14::timestamptz IS NULL OR a.at >= $14) AND ($15::timestamptz IS NULL OR a.at < $15)
      ORDER BY a.id DESC LIMIT $6
    )
    SELECT s.*, m.id, m.at, m.action, m.subject, m.team_id AS "teamId", m.user_id AS "userId", u.name AS "userName",
      m.token_id AS "tokenId", k.name AS "tokenName", m.session_id AS "sessionId", m.address,
      m.request_id AS "requestId", m.changes, m.cause, m.count, ${SUBJECT_NAME} AS "subjectName"
    FROM (SELECT count(*)::int AS scanned, (SELECT id FROM scanned ORDER BY id LIMIT 1) AS last FROM scanned) s
      LEFT JOIN matching m ON true LEFT JOIN users u ON u.id = m.user_id LEFT JOIN token k ON k.id = m.token_id
    ORDER BY m.id DESC`;
}

/** The ids between which entries can match: ids begin with their time. */
function idsOf({ from, to, request_id: requestId }: AuditFilter): { first: string; last: string } {
  const requestMs = requestId && hasFormOfId(requestId) ? timeOfId(requestId).getTime() : undefined;
  const earliest = [from && Date.parse(from) - CLOCKS_MS, requestMs && requestMs - BEFORE_REQUEST_MS];
  const latest = [to && Date.parse(to) + CLOCKS_MS, requestMs && requestMs + AFTER_REQUEST_MS];
  const [first, last] = [
    earliest.filter((ms) => typeof ms === 'number'),
    latest.filter((ms) => typeof ms === 'number'),
  ];
  return {
    first: floorOf(Math.max(0, ...first)),
    last: last.length ? floorOf(Math.min(...last)) : LAST_ID,
  };
}

/** The least id of a moment. */
const floorOf = (ms: number): string => `${newId(Math.max(0, ms)).slice(0, 13)}-0000-0000-000000000000`;

const toEntry = (row: Row): AuditEntry => ({
  id: row.id!,
  at: row.at.toISOString(),
  action: row.action,
  subject: row.subject,
  subject_name: row.subjectName,
  team_id: row.teamId,
  user: row.userId === null ? null : { id: row.userId, name: row.userName },
  token: row.tokenId === null ? null : { id: row.tokenId, name: row.tokenName },
  session_id: row.sessionId,
  address: row.address,
  request_id: row.requestId,
  changes: row.changes === null ? [] : (JSON.parse(row.changes) as AuditChange[]),
  cause: row.cause,
  count: row.count,
});
