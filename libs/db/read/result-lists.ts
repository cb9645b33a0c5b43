import { notFound } from '#lib/contracts/input/problem';
import type { Page, PageQuery } from '#lib/contracts/page';
import type { Result, ResultOrder } from '#lib/contracts/result';
import type { Pool } from '../connection/pool.js';
import type { TeamScoped } from '../team-isolation.js';
import { leanResult } from './lean-result.js';
import { conditionsOf, type Parameter, type ResultFilter, type RowFilter } from './result-filter.js';
import { MAX_SCANNED_RESULTS, ORDERS, type ListedRun, type Placed, type Stretch } from './result-orders.js';
import { selectResults, toResult, type ResultRow } from './result-rows.js';

/** Which results are listed, in which order, and how. */
export interface ResultList extends ResultFilter {
  order?: ResultOrder;
  lean?: boolean;
}

type Select = (page: string, parameter: Parameter) => string;
/** Results of a list, and where it stopped looking for more; null when it looked at all of them. */
interface Found<Row> {
  rows: Row[];
  end: Placed | null;
}

/** The results of a team's runs, filtered and in some order. */
export class ResultLists implements TeamScoped {
  constructor(
    readonly db: Pool,
    readonly teamId: string,
  ) {}

  /**
   * A page of results, with the verdicts of a rescore if the filter names one. Where a filter leaves little, it may
   * hold fewer results than asked for, even none. The cursor is the place of the last result that it looked at.
   * @throws ProblemError 400 for a cursor of another order, 404
   */
  async list(
    runId: string,
    { order = 'settled', lean = false, ...filter }: ResultList,
    { limit, cursor }: PageQuery,
  ): Promise<Page<Result>> {
    const { cursorOf, stretches } = ORDERS[order];
    const { run, ...rest } = await this.#readRun(runId, filter);
    const { rows, end } = await this.#find<ResultRow>(
      run,
      stretches(run, rest.filter, cursor, 'after'),
      limit + 1,
      (page, parameter) => `${selectResults(page, parameter(this.teamId), { lean })} ORDER BY r.nth`,
    );
    const items = rows.slice(0, limit).map((row) => (lean ? leanResult(toResult(row)) : toResult(row)));
    const last = rows.length > limit ? rows[limit - 1]! : end;
    return { items, next_cursor: last && cursorOf(last) };
  }

  /** Looks through one stretch after another, until `count` results are found or one was too long to look through. */
  async #find<Row extends object>(
    run: ListedRun,
    stretches: readonly Stretch[],
    count: number,
    select: Select,
  ): Promise<Found<Row>> {
    const rows: Row[] = [];
    for (const stretch of stretches) {
      const left = count - rows.length;
      rows.push(...(await this.#findIn<Row>(run, stretch, left, select)));
      if (rows.length === count) return { rows, end: null };
      const end = await this.#endOf(run, stretch, left);
      if (end) return { rows, end };
    }
    return { rows, end: null };
  }

  async #findIn<Row extends object>(run: ListedRun, stretch: Stretch, count: number, select: Select): Promise<Row[]> {
    const values: unknown[] = [run.id];
    const parameter = (value: unknown): string => `$${values.push(value)}`;
    const conditions = conditionsOf(stretch.filter, run.versionId, parameter);
    const { rows } = await this.db.query<Row>(
      `WITH page AS (
         SELECT r.*, row_number() OVER () AS nth FROM (${stretch.rows(parameter, scanned(stretch, count))}) r
         WHERE ${conditions.join(' AND ') || 'true'} LIMIT ${count}
       ) ${select('page', parameter)}`,
      values,
    );
    return rows;
  }

  /** Where the last result stands that was looked at; undefined when all of the stretch was. */
  async #endOf(run: ListedRun, stretch: Stretch, count: number): Promise<Placed | undefined> {
    const values: unknown[] = [run.id];
    const parameter = (value: unknown): string => `$${values.push(value)}`;
    const { rows } = await this.db.query<Placed>(stretch.end(parameter, scanned(stretch, count)), values);
    return rows[0];
  }

  /** @throws ProblemError 404 */
  async #readRun(
    runId: string,
    { model, rescore_id: rescoreId, ...filter }: ResultFilter,
  ): Promise<{ run: ListedRun; filter: RowFilter }> {
    const { rows } = await this.db.query<Omit<ListedRun, 'id' | 'rescoreId'>>(
      `SELECT suite_version_id AS "versionId", case_positions AS positions, samples, ARRAY(
         SELECT ordinal::int FROM target WHERE run_id = run.id
           AND ($3::text[] IS NULL OR provider_key || '::' || model_id = ANY ($3) OR model_id = ANY ($3))
         ORDER BY ordinal
       ) AS ordinals
       FROM run WHERE id = $1 AND team_id = $2`,
      [runId, this.teamId, model ?? null],
    );
    if (!rows[0]) throw notFound('run', runId);
    return { run: { id: runId, rescoreId, ...rows[0] }, filter: { ...filter, ordinals: model && rows[0].ordinals } };
  }
}

/** How many results a statement looks at to find `count`. */
const scanned = ({ filter }: Stretch, count: number): number =>
  Object.values(filter).some((value) => value !== undefined) ? MAX_SCANNED_RESULTS : count;
