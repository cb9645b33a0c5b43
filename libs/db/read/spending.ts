import { ProblemError } from '#lib/contracts/input/problem';
import {
  MAX_SPENDING_GROUPS,
  NO_ID,
  type SpendingBy,
  type SpendingFigures,
  type SpendingGroup,
  type SpendingQuery,
  type SpendingReport,
} from '#lib/contracts/spending';
import { cacheHitRate, TOKEN_COUNTS } from '#lib/contracts/token-counts';
import { targetName } from '#lib/contracts/target-name';
import type { Pool } from '../connection/pool.js';
import { TeamScoped } from '../team-isolation.js';

export type SpendingSpan = Required<Pick<SpendingQuery, 'from' | 'to'>>;

const COUNTS = ['cost_usd', 'requests', 'results', ...TOKEN_COUNTS] as const satisfies (keyof SpendingFigures)[];
type Counts = Record<(typeof COUNTS)[number], number>;

const COLUMNS: Record<SpendingBy, readonly string[]> = {
  day: ['day'],
  model: ['provider_key', 'model_id'],
  provider: ['provider_key'],
  suite: ['suite_id'],
  person: ['user_id'],
};

/** A group as counted by Postgres, without the columns it is not grouped by. */
type GroupRow = Counts & {
  day: string;
  provider_key: string;
  model_id: string;
  suite_id: string;
  suite_name: string | null;
  user_id: string;
  user_name: string | null;
};

/** The spending of a team by day, which settling counts (`prisma/functions/settle-items.sql`). */
export class SpendingRepository extends TeamScoped<Pool> {
  /** The UTC day to which a result that settles now is counted, by the clock of Postgres. */
  async today(): Promise<string> {
    const { rows } = await this.db.query<{ day: string }>(
      `SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day`,
    );
    return rows[0]!.day;
  }

  /** @throws ProblemError 422 when there are too many groups for one response */
  async report({ from, to, by, ...filter }: SpendingQuery & SpendingSpan): Promise<SpendingReport> {
    const rows = await this.#groups({ from, to, by, ...filter });
    if (rows.length > MAX_SPENDING_GROUPS) throw tooMany(by);
    const gone = by.includes('suite') ? await this.#lastNames(rows, from) : new Map<string, string>();
    return { from, to, by, total: figuresOf(sumOf(rows)), items: rows.map((row) => groupOf(row, by, gone)) };
  }

  /** Reads up to one group more than a response holds. */
  async #groups({
    from,
    to,
    by,
    model,
    provider,
    suite_id,
    person,
  }: SpendingQuery & SpendingSpan): Promise<GroupRow[]> {
    const columns = [...new Set(by.flatMap((one) => COLUMNS[one]))];
    // Highest cost first, within its day.
    const order = [
      ...(by.includes('day') ? ['day'] : []),
      'cost_usd DESC, requests DESC',
      ...columns.filter((column) => column !== 'day'),
    ].join(', ');
    const { rows } = await this.db.query<GroupRow>(
      `WITH counted AS (
         SELECT ${[...columns, ...COUNTS.map(sumSql)].join(', ')}
         FROM daily_spending
         WHERE team_id = $1 AND day BETWEEN $2 AND $3
           AND ($4::text[] IS NULL OR provider_key || '::' || model_id = ANY ($4) OR model_id = ANY ($4))
           AND ($7::text[] IS NULL OR provider_key = ANY ($7))
           AND ($5::uuid[] IS NULL OR suite_id = ANY ($5)) AND ($6::uuid[] IS NULL OR user_id = ANY ($6))
         GROUP BY ${columns.join(', ')} ORDER BY ${order} LIMIT ${MAX_SPENDING_GROUPS + 1}
       )
       SELECT ${[...columns, ...COUNTS].map(columnSql).join(', ')}
         ${by.includes('suite') ? ', s.name AS suite_name' : ''} ${by.includes('person') ? ', u.name AS user_name' : ''}
       FROM counted c
         ${by.includes('suite') ? 'LEFT JOIN suite s ON s.id = c.suite_id AND s.team_id = $1' : ''}
         ${by.includes('person') ? 'LEFT JOIN users u ON u.id = c.user_id AND u.team_id = $1' : ''}
       ORDER BY ${order}`,
      [this.teamId, from, to, model ?? null, suite_id ?? null, person ?? null, provider ?? null],
    );
    return rows;
  }

  /** The last names under which deleted suites were billed, by id. */
  async #lastNames(rows: readonly GroupRow[], from: string): Promise<Map<string, string>> {
    const gone = rows.filter((row) => row.suite_name === null && row.suite_id !== NO_ID).map((row) => row.suite_id);
    if (gone.length === 0) return new Map();
    const names = await this.db.query<{ suite_id: string; suite_name: string }>(
      // Searches backwards from the newest day for each suite, which needs only a few rows.
      `SELECT g.suite_id, (SELECT d.suite_name FROM daily_spending d
         WHERE d.team_id = $1 AND d.day >= $2 AND d.suite_id = g.suite_id ORDER BY d.day DESC LIMIT 1) AS suite_name
       FROM unnest($3::uuid[]) AS g (suite_id)`,
      [this.teamId, from, [...new Set(gone)]],
    );
    return new Map(names.rows.map((row) => [row.suite_id, row.suite_name]));
  }
}

const sumSql = (column: string): string =>
  column === 'cost_usd' ? 'sum(cost_usd) AS cost_usd' : `sum(${column})::bigint AS ${column}`;
const columnSql = (column: string): string =>
  column === 'day' ? `to_char(c.day, 'YYYY-MM-DD') AS day` : `c.${column}`;

function groupOf(row: GroupRow, by: readonly SpendingBy[], gone: ReadonlyMap<string, string>): SpendingGroup {
  const { suite_id: suiteId, suite_name: suite, user_id: userId, user_name: person } = row;
  return {
    ...(by.includes('day') && { day: row.day }),
    ...(by.includes('model') && { model: targetName({ providerKey: row.provider_key, modelId: row.model_id }) }),
    ...(by.includes('provider') && { provider: row.provider_key }),
    ...(by.includes('suite') && {
      suite:
        suiteId === NO_ID ? null : { id: suiteId, name: suite ?? gone.get(suiteId) ?? '', deleted: suite === null },
    }),
    ...(by.includes('person') && { person: userId === NO_ID ? null : { id: userId, name: person } }),
    ...figuresOf(row),
  };
}

function sumOf(rows: readonly Counts[]): Counts {
  const sum = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Counts;
  for (const row of rows) for (const name of COUNTS) sum[name] += row[name];
  return sum;
}

const figuresOf = (counts: Counts): SpendingFigures => ({
  ...(Object.fromEntries(COUNTS.map((name) => [name, counts[name]])) as Counts),
  cache_hit_rate: cacheHitRate(counts),
});

const tooMany = (by: readonly SpendingBy[]): ProblemError =>
  new ProblemError(
    422,
    `By ${by.join(', ')} these are more than ${MAX_SPENDING_GROUPS} groups. ` +
      'Group by fewer of day, model, provider, suite and person, use a shorter period, or filter by model, provider, ' +
      'suite_id or person.',
    [{ path: '/by', message: `makes more than ${MAX_SPENDING_GROUPS} groups` }],
  );
