import type { RunCase, RunCases, RunCasesQuery } from '#lib/contracts/run-facets';
import { MAX_FACET_VALUES } from '#lib/contracts/run-facets';
import type { Pool } from '../connection/pool.js';

/** Which cases of a run are listed, and in which order. */
export type CasesQuery = Omit<RunCasesQuery, 'rescore_id'>;

interface CategoryCount {
  category: string | null;
  cases: number;
}

interface CaseRow {
  position: number;
  case_id: string;
  name: string | null;
  prompt: string;
  category: string | null;
  scored: number[];
  passed: number[];
  errored: number[];
  overall_sum: number[];
}

type Found = Pick<CaseRow, 'position'>[];

const SHOWN = { all: 'true', differing: 'c.differs', all_failed: 'c.all_failed' };

const SHARES = `FROM unnest(c.scored, c.passed) AS share (scored, passed) WHERE share.scored > 0`;
/** SQL of what the worker writes into these columns. */
const COMPUTED = {
  disagreement: `coalesce((SELECT round(var_pop(share.passed::float8 / share.scored)::numeric, 6) ${SHARES}), 0)`,
  failing: `coalesce((SELECT round(1 - avg(share.passed::float8 / share.scored)::numeric, 6) ${SHARES}), -1)`,
};

const naturally = new Intl.Collator('en', { numeric: true });

/** Reads a page of the cases of a counted run. */
export class RunCasesReader {
  readonly #values: unknown[];
  readonly #from: string;

  /** @param ids of the run, the team and the scoring */
  constructor(
    readonly db: Pool,
    ids: readonly string[],
    readonly query: CasesQuery,
  ) {
    const { show, category, tag } = query;
    this.#values = [...ids, category ?? null, tag ?? null];
    // IS TRUE keeps Postgres from joining the cases of the suite, which would read them once for each of the run.
    this.#from = `FROM case_figures c JOIN run r ON r.id = c.run_id AND r.team_id = $2 AND r.generation = c.generation
      WHERE c.run_id = $1 AND c.scoring_id = $3 AND ${SHOWN[show]}
        AND ($4::text[] IS NULL OR c.category = ANY ($4))
        AND ($5::text[] IS NULL OR (c.position IN (SELECT v.position FROM suite_version_case v
          WHERE v.version_id = (SELECT suite_version_id FROM run WHERE id = $1) AND v.tags && $5)) IS TRUE)`;
  }

  /** @param isOrdered whether the cases have what the orders compare; those that the release before counted have not */
  async page(counts: RunCases['counts'], isOrdered: boolean) {
    const { show, order, limit, category, tag } = this.query;
    const categories = order === 'category' ? await this.#categories() : undefined;
    const isFiltered = category !== undefined || tag !== undefined;
    const found = await this.#find(isOrdered, categories);
    const shown = found.slice(0, limit);
    const cases = await this.#cases(shown);
    return {
      total: isFiltered ? await this.#count() : counts[show],
      categories: categories && categories.length <= MAX_FACET_VALUES ? categories : [],
      items: cases.map((row) => toCase(row, this.query.compact)),
      next_cursor: found.length > limit ? this.#cursorAfter(shown) : null,
    };
  }

  /** By position it is the position of the last case; in the other orders, how many cases come before the next. */
  #cursorAfter(shown: Found): string {
    const { order, cursor, from, limit } = this.query;
    return order === 'position' ? String(shown.at(-1)!.position) : String(Number(cursor ?? 0) + from + limit);
  }

  /** The positions of the page's cases, and of one more. */
  async #find(isOrdered: boolean, categories: CategoryCount[] | undefined): Promise<Found> {
    const { order, cursor, limit, from } = this.query;
    const isByPosition = order === 'position';
    const skipped = isByPosition ? from : Number(cursor ?? 0) + from;
    const values = [...this.#values, limit + 1, skipped];
    const end = 'LIMIT $6 OFFSET $7';
    const find = async (sql: string, ...more: unknown[]): Promise<Found> =>
      (await this.db.query<CaseRow>(`SELECT c.position ${sql}`, [...values, ...more])).rows;
    if (isByPosition) return find(`${this.#from} AND c.position > $8 ORDER BY c.position ${end}`, cursor ?? -1);
    if (order === 'category') {
      const named = categories!.flatMap(({ category }) => category ?? []);
      const places = 'LEFT JOIN unnest($8::text[]) WITH ORDINALITY k (category, nth) ON k.category = c.category WHERE';
      const sql = `${this.#from.replace('WHERE', places)} ORDER BY k.nth NULLS LAST, c.position ${end}`;
      return find(sql, named);
    }
    const column = order === 'failures' ? 'failing' : 'disagreement';
    return isOrdered
      ? find(`${this.#from} AND c.${column} IS NOT NULL ORDER BY c.${column} DESC, c.position ${end}`)
      : find(`${this.#from} ORDER BY ${COMPUTED[column]} DESC, c.position ${end}`);
  }

  async #cases(found: Found): Promise<CaseRow[]> {
    const { rows } = await this.db.query<CaseRow>(
      `SELECT c.position, c.case_id, c.name, c.prompt, c.category, c.scored, c.passed, c.errored, c.overall_sum
       FROM unnest($4::int[]) WITH ORDINALITY u (position, n)
       JOIN case_figures c ON c.run_id = $1 AND c.scoring_id = $3 AND c.position = u.position
       JOIN run r ON r.id = c.run_id AND r.team_id = $2 AND r.generation = c.generation ORDER BY u.n`,
      [...this.#values.slice(0, 3), found.map(({ position }) => position)],
    );
    return rows;
  }

  async #count(): Promise<number> {
    const { rows } = await this.db.query<{ n: number }>(`SELECT count(*)::int AS n ${this.#from}`, this.#values);
    return rows[0]!.n;
  }

  /** In natural order, the cases without one last. */
  async #categories(): Promise<CategoryCount[]> {
    const { rows } = await this.db.query<CategoryCount>(
      `SELECT c.category, count(*)::int AS cases ${this.#from} GROUP BY c.category`,
      this.#values,
    );
    return rows.sort((one, other) => {
      if (one.category === null || other.category === null)
        return Number(one.category === null) - Number(other.category === null);
      return naturally.compare(one.category, other.category) || (one.category < other.category ? -1 : 1);
    });
  }
}

function toCase({ case_id, position, name, prompt, category, ...row }: CaseRow, isCompact: boolean): RunCase {
  const { scored, passed, errored, overall_sum: sums } = row;
  const of = { case_id, position, case_name: name, prompt, category };
  if (isCompact)
    return { ...of, cells: [], by_target: scored.map((n, at) => [passed[at]!, n - passed[at]!, errored[at]!]) };
  return {
    ...of,
    cells: scored.map((n, at) => ({
      scored: n,
      passed: passed[at]!,
      errored: errored[at]!,
      mean: n === 0 ? null : sums[at]! / n,
    })),
  };
}
