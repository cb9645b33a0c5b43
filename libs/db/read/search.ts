import type { SearchAnswer, SearchMatch, SearchQuery } from '#lib/contracts/search';
import { SEARCH_TYPES, type SearchType } from '#lib/contracts/values/search';
import { inTransaction, type Pool } from '../connection/pool.js';
import { TeamScoped } from '../team-isolation.js';

/** Limits of one search, whatever the size of the team: rows of each type, bytes of cases, and time. */
const SEARCHED = { rows: 20_000, cases: 10_000, bytes: 8 * 2 ** 20, milliseconds: 1000 };

type MatchRow = Omit<SearchMatch, 'suite' | 'at'> & {
  rank: number;
  at: Date | null;
  suite_id: string | null;
  suite_name: string | null;
  /** Whether there are more cases than a search looks through. */
  cut?: boolean;
};

const NEWEST = `ORDER BY id DESC LIMIT ${SEARCHED.rows}`;
const NO_SUITE = 'NULL::uuid AS suite_id, NULL::text AS suite_name, NULL::text AS status';

/**
 * The newest rows of each type in the team `$1`: `id`, `name`, `suite_id`, `suite_name`, `status`, `at`, and the `text`
 * in which the words must occur.
 */
const SOURCES: Record<Exclude<SearchType, 'case'>, string> = {
  run: `SELECT id::text, coalesce(name, suite_name) AS name, suite_id, suite_name, status, created_at AS at,
        concat_ws(chr(10), name, suite_name, note) AS text
      FROM (SELECT * FROM run WHERE team_id = $1 AND listed ${NEWEST}) newest`,
  suite: `SELECT id::text, name, ${NO_SUITE}, created_at AS at, concat_ws(chr(10), name, description) AS text
      FROM suite WHERE team_id = $1 ${NEWEST}`,
  experiment: `SELECT e.id::text, e.name, e.suite_id, s.name AS suite_name, NULL::text AS status, e.created_at AS at,
        concat_ws(chr(10), e.name, e.description) AS text
      FROM (SELECT * FROM experiment WHERE team_id = $1 ${NEWEST}) e
      LEFT JOIN suite s ON s.id = e.suite_id AND s.team_id = $1`,
  gate: `SELECT g.id::text, g.name, g.suite_id, s.name AS suite_name, NULL::text AS status, g.created_at AS at,
        g.name AS text
      FROM (SELECT * FROM gate WHERE team_id = $1 ${NEWEST}) g
      LEFT JOIN suite s ON s.id = g.suite_id AND s.team_id = $1`,
  prompt: `SELECT p.id::text, coalesce(nullif(p.label, ''), array_to_string(p.tags, ', '), '') AS name, p.suite_id,
        s.name AS suite_name, NULL::text AS status, p.created_at AS at,
        concat_ws(chr(10), p.label, array_to_string(p.tags, chr(10))) AS text
      FROM (SELECT * FROM prompt_version WHERE team_id = $1 ${NEWEST}) p
      LEFT JOIN suite s ON s.id = p.suite_id AND s.team_id = $1`,
  model: `SELECT p.key || '::' || m.model_id AS id, m.name, ${NO_SUITE}, NULL::timestamptz AS at,
        concat_ws(chr(10), m.name, p.key || '::' || m.model_id, p.name) AS text
      FROM provider p JOIN model m ON m.provider_id = p.id WHERE p.team_id = $1
      ORDER BY p.key, m.position LIMIT ${SEARCHED.rows}`,
};

/** How well a name matches: 0 is the same, then its beginning, the beginning of a word, and anything else. */
const rank = (name: string): string => `
  CASE WHEN lower(${name}) = lower($2) THEN 0 WHEN starts_with(lower(${name}), lower($2)) THEN 1
    WHEN strpos(lower(${name}), ' ' || lower($2)) > 0 THEN 2 WHEN lower(${name}) LIKE ALL ($3) THEN 3 ELSE 4 END`;

/** `$2` the text, `$3` patterns of its words, `$4` the number of matches, `$5` patterns of ids. */
const searched = (type: Exclude<SearchType, 'case'>): string => `
  (SELECT '${type}' AS type, id, name, suite_id, suite_name, status, at, ${rank('name')} AS rank
    FROM (${SOURCES[type]}) ${type}s WHERE lower(text) LIKE ALL ($3) OR id LIKE ANY ($5::text[])
    ORDER BY rank, at DESC NULLS LAST, id LIMIT $4)`;

/** The cases of the newest suites; `$2` to `$4` as above, `$5` patterns of the words in JSON. */
const SEARCHED_CASES = `
  WITH sized AS (
    SELECT c.id, s.nth, s.id AS suite_id, s.name AS suite_name, c.position, octet_length(c.body) AS bytes
    FROM (SELECT id, name, row_number() OVER (ORDER BY id DESC) AS nth FROM suite WHERE team_id = $1
      ORDER BY id DESC LIMIT ${SEARCHED.cases}) s
    CROSS JOIN LATERAL (SELECT id, position, body FROM suite_case WHERE suite_id = s.id
      ORDER BY position LIMIT ${SEARCHED.cases}) c
    ORDER BY s.nth, c.position LIMIT ${SEARCHED.cases + 1}
  ), fitting AS (
    SELECT * FROM (
      SELECT *, row_number() OVER w AS n, sum(bytes) OVER w - bytes AS before FROM sized
      WINDOW w AS (ORDER BY nth, position)
    ) summed WHERE before < ${SEARCHED.bytes} AND n <= ${SEARCHED.cases}
  ), matching AS (
    SELECT f.*, coalesce(nullif(b.name, ''), left(b.prompt, 200), '') AS name
    FROM fitting f JOIN suite_case c ON c.id = f.id
      CROSS JOIN LATERAL json_to_record(CASE WHEN lower(c.body) LIKE ALL ($5) THEN c.body::json ELSE '{}' END)
        AS b (name text, prompt text)
    WHERE lower(concat_ws(chr(10), b.name, b.prompt)) LIKE ALL ($3)
  )
  SELECT 'case' AS type, id::text, name, suite_id, suite_name, NULL AS status, NULL AS at, ${rank('name')} AS rank,
    (SELECT count(*) FROM sized) > (SELECT count(*) FROM fitting) AS cut
  FROM (VALUES (1)) AS always LEFT JOIN matching ON true ORDER BY rank, nth, position LIMIT $4`;

/** Finds things of a team by name. */
export class SearchRepository extends TeamScoped<Pool> {
  async find({ q, types = [...SEARCH_TYPES], limit }: SearchQuery): Promise<SearchAnswer> {
    const words = q.toLowerCase().split(/\s+/);
    const values = [this.teamId, q, words.map(containing), limit];
    const named = types.filter((type) => type !== 'case');
    const rowsOf: [readonly SearchType[], MatchRow[] | undefined][] = [];
    if (named.length > 0)
      rowsOf.push([named, await this.#within(named.map(searched).join(' UNION ALL '), [...values, idsLike(q)])]);
    if (types.includes('case')) {
      const inJson = words.map((word) => containing(JSON.stringify(word).slice(1, -1)));
      rowsOf.push([['case'], await this.#within(SEARCHED_CASES, [...values, inJson])]);
    }
    const found = rowsOf.flatMap(([, rows]) => rows ?? []);
    return {
      items: found
        .filter(({ id }) => id !== null)
        .toSorted(byMatch)
        .slice(0, limit)
        .map(toMatch),
      partial: rowsOf.flatMap(([of, rows]) => (!rows || rows[0]?.cut ? of : [])),
    };
  }

  /** Undefined when it takes too long. */
  async #within(statement: string, values: unknown[]): Promise<MatchRow[] | undefined> {
    try {
      return await inTransaction(this.db, async (client) => {
        await client.query(`SET LOCAL statement_timeout = ${SEARCHED.milliseconds}`);
        return (await client.query<MatchRow>(statement, values)).rows;
      });
    } catch (error) {
      if ((error as { code?: string }).code === STATEMENT_TIMED_OUT) return undefined;
      throw error;
    }
  }
}

const STATEMENT_TIMED_OUT = '57014';

/** A pattern of the texts that contain a word. */
const containing = (word: string): string => `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

/** Patterns of the ids that begin or end like a text; none unless it may be a part of an id. */
const idsLike = (text: string): string[] =>
  /^[0-9a-f-]{6,36}$/i.test(text) ? [`${text.toLowerCase()}%`, `%${text.toLowerCase()}`] : [];

/** Better matches first, then newer ones. */
function byMatch(one: MatchRow, other: MatchRow): number {
  const newestFirst = (other.at?.getTime() ?? 0) - (one.at?.getTime() ?? 0);
  return one.rank - other.rank || newestFirst || SEARCH_TYPES.indexOf(one.type) - SEARCH_TYPES.indexOf(other.type);
}

const toMatch = ({ suite_id: suiteId, suite_name: suite, at, type, id, name, status }: MatchRow): SearchMatch => ({
  ...{ type, id, name, status },
  suite: suiteId === null ? null : { id: suiteId, name: suite ?? '' },
  at: at?.toISOString() ?? null,
});
