import { notFound } from '#lib/contracts/input/problem';
import type { Page, PageQuery } from '#lib/contracts/page';
import type { Result, ResultNeighbours, ResultOrder } from '#lib/contracts/result';
import type { Pool } from '../connection/pool.js';
import { TeamScoped } from '../team-isolation.js';
import { resultTable } from './for-workers/result-table.js';
import { leanResult } from './lean-result.js';
import { conditionsOf, type Parameter, type ResultFilter, type RowFilter } from './result-filter.js';
import {
  MAX_SCANNED_RESULTS,
  namedResults,
  ORDERS,
  type Direction,
  type ListedRun,
  type Placed,
  type Stretch,
} from './result-orders.js';
import { COUNTED_LEAN_EVIDENCE, itemOf, resultIdOf, selectResults, toResult, type ResultRow } from './result-rows.js';

/** Which results to list, in which order, and in which form. */
export interface ResultList extends ResultFilter {
  order?: ResultOrder;
  lean?: boolean;
  /** Only these results, all on one page. */
  id?: readonly string[] | undefined;
}

/** Maximum number of bytes of texts on a page, unless it has only one result. The rest is on the next page. */
const MAX_PAGE_BYTES = 2 * 2 ** 20;

/** SQL following `WITH page AS (...)`. */
type Select = (parameter: Parameter) => string;
/** Results of a list, and where the search stopped; null when it scanned everything. */
interface Found<Row> {
  rows: Row[];
  end: Placed | null;
  /** Whether there were more that did not fit the size limit. */
  isCut: boolean;
}

/** Number of results that a statement found, including those it omitted because of the size limit. */
interface Cut {
  found?: number;
  /** Bytes of the texts of this result and those before it. */
  bytes?: number;
}

const ALL_EVIDENCE = '+ coalesce(octet_length(p.evidence), 0) + coalesce(octet_length(p.metrics), 0)';

/** SQL of the results of `page` up to a total text size of `most` bytes, always including the first one. */
const cutAt = (most: number, lean: boolean, version: string): string => `
  SELECT * FROM (
    SELECT p.*, count(*) OVER () AS found, sum(
        (SELECT octet_length(body) FROM suite_version_case WHERE version_id = ${version} AND position = p.case_position)
        + octet_length(p.called) ${lean ? `+ ${COUNTED_LEAN_EVIDENCE}` : ALL_EVIDENCE}
      ) OVER (ORDER BY p.nth) AS bytes
    FROM page p
  ) p WHERE p.nth = 1 OR p.bytes <= ${most}`;

/** For a case that the run does not have. */
const NO_POSITION = -1;
const SELECT_PLACES: Select = () => 'SELECT r.target, r.case_position, r.sample, r.passed FROM page r';
const idOrNull = (placed: Placed | undefined): string | null => (placed ? resultIdOf(placed) : null);

/** The results of a team's runs, filtered and sorted. */
export class ResultLists extends TeamScoped<Pool> {
  /**
   * A page of results, with the verdicts of a rescore if the filter names one. With a selective filter or large
   * results, it may hold fewer results than requested, even none. The cursor is the place of the last result scanned.
   * @throws ProblemError 400 for a cursor of another order, 404
   */
  async list(runId: string, list: ResultList, page: PageQuery): Promise<Page<Result>> {
    return (await this.#page(runId, list, page, MAX_PAGE_BYTES)).page();
  }

  /** The same; undefined when the texts of the page exceed `most` bytes. */
  async listSmall(runId: string, list: ResultList, page: PageQuery, most: number): Promise<Page<Result> | undefined> {
    const found = await this.#page(runId, list, page, most);
    return found.isCut ? undefined : found.page();
  }

  async #page(
    runId: string,
    { order = 'settled', lean = false, id: ids, ...filter }: ResultList,
    { cursor, ...page }: PageQuery,
    most: number,
  ): Promise<{ isCut: boolean; page: () => Page<Result> }> {
    const { cursorOf, stretches } = ORDERS[order];
    const { run, ...rest } = await this.#readRun(runId, filter);
    const limit = ids?.length ?? page.limit;
    const { rows, end, isCut } = await this.#find<ResultRow & Cut>(
      run,
      ids ? [namedResults(run, rest.filter, ids)] : stretches(run, rest.filter, cursor, 'after'),
      limit + 1,
      (parameter) =>
        `, cut AS (${cutAt(most, lean, parameter(run.versionId))})
         ${selectResults('cut', parameter(this.teamId), {
           lean,
           also: 'r.found, r.bytes,',
           rescored: run.rescoreId !== undefined,
         })} ORDER BY r.nth`,
    );
    const read = (): Page<Result> => {
      const items = rows.slice(0, limit).map((row) => (lean ? leanResult(toResult(row)) : toResult(row)));
      const last = rows.length > limit ? rows[limit - 1]! : end;
      return { items, next_cursor: ids ? null : last && cursorOf(last) };
    };
    return { isCut: isCut || rows.some(({ bytes = 0 }) => bytes > most), page: read };
  }

  /**
   * Neighbours of a result, whether or not the result itself matches the filter.
   * @throws ProblemError 404
   */
  async neighbours(
    runId: string,
    resultId: string,
    { order = 'settled', ...asked }: ResultList,
  ): Promise<ResultNeighbours> {
    const { cursorOf, stretches } = ORDERS[order];
    const { run, filter } = await this.#readRun(runId, asked);
    const cursor = cursorOf(await this.#readPlace(run, resultId));
    const nearest = async (direction: Direction, only: RowFilter): Promise<Placed | undefined> =>
      (await this.#find<Placed>(run, stretches(run, only, cursor, direction), 1, SELECT_PLACES)).rows[0];
    const side = async (direction: Direction): Promise<{ any: string | null; failure: string | null }> => {
      const any = await nearest(direction, filter);
      if (!any || any.passed === false) return { any: idOrNull(any), failure: idOrNull(any) };
      const failure = filter.passed ? undefined : await nearest(direction, { ...filter, passed: false });
      return { any: idOrNull(any), failure: idOrNull(failure) };
    };
    const [before, after] = await Promise.all([side('before'), side('after')]);
    return {
      previous: before.any,
      next: after.any,
      previous_failure: before.failure,
      next_failure: after.failure,
    };
  }

  /** @throws ProblemError 404 */
  async #readPlace({ id, rescoreId }: ListedRun, resultId: string): Promise<Placed> {
    const { rows } = await this.db.query<Placed>(
      `SELECT * FROM ${resultTable(rescoreId && '$5')} r
       WHERE r.run_id = $1 AND r.target = $2 AND r.case_position = $3 AND r.sample = $4`,
      [id, ...itemOf(resultId), ...(rescoreId ? [rescoreId] : [])],
    );
    if (!rows[0]) throw notFound('result', resultId);
    return rows[0];
  }

  /** Scans one stretch after another, until `count` results are found or one was too long to scan completely. */
  async #find<Row extends Placed & Cut>(
    run: ListedRun,
    stretches: readonly Stretch[],
    count: number,
    select: Select,
  ): Promise<Found<Row>> {
    const rows: Row[] = [];
    for (const stretch of stretches) {
      const left = count - rows.length;
      const found = await this.#findIn<Row>(run, stretch, left, select);
      rows.push(...found);
      if (found.length < (found[0]?.found ?? 0)) return { rows, end: found.at(-1)!, isCut: true };
      if (rows.length === count) break;
      const end = await this.#endOf(run, stretch, left);
      if (end) return { rows, end, isCut: false };
    }
    return { rows, end: null, isCut: false };
  }

  async #findIn<Row extends object>(run: ListedRun, stretch: Stretch, count: number, select: Select): Promise<Row[]> {
    const values: unknown[] = [run.id];
    const parameter = (value: unknown): string => `$${values.push(value)}`;
    const conditions = conditionsOf(stretch.filter, run, parameter);
    const { rows } = await this.db.query<Row>(
      `WITH page AS (
         SELECT r.*, row_number() OVER () AS nth FROM (${stretch.rows(parameter, scanned(stretch, count))}) r
         WHERE ${conditions.join(' AND ') || 'true'} LIMIT ${count}
       ) ${select(parameter)}`,
      values,
    );
    return rows;
  }

  /** The place of the last result scanned; undefined when the whole stretch was. */
  async #endOf(run: ListedRun, stretch: Stretch, count: number): Promise<Placed | undefined> {
    const values: unknown[] = [run.id];
    const parameter = (value: unknown): string => `$${values.push(value)}`;
    const { rows } = await this.db.query<Placed>(stretch.end(parameter, scanned(stretch, count)), values);
    return rows[0];
  }

  /** @throws ProblemError 404 */
  async #readRun(
    runId: string,
    { model, case_id: caseId, rescore_id: rescoreId, ...filter }: ResultFilter,
  ): Promise<{ run: ListedRun; filter: RowFilter }> {
    const { rows } = await this.db.query<Omit<ListedRun, 'id' | 'rescoreId'> & { position: number }>(
      `SELECT suite_version_id AS "versionId", case_positions AS positions, samples, ARRAY(
         SELECT ordinal::int FROM target WHERE run_id = run.id
           AND ($3::text[] IS NULL OR provider_key || '::' || model_id = ANY ($3) OR model_id = ANY ($3))
         ORDER BY ordinal
       ) AS ordinals, coalesce((SELECT c.position FROM suite_version_case c
         WHERE c.version_id = run.suite_version_id AND c.case_id = $4::uuid), ${NO_POSITION}) AS position
       FROM run WHERE id = $1 AND team_id = $2`,
      [runId, this.teamId, model ?? null, caseId ?? null],
    );
    if (!rows[0]) throw notFound('run', runId);
    const { position, ...run } = rows[0];
    return {
      run: { id: runId, rescoreId, ...run },
      filter: { ...filter, ordinals: model && run.ordinals, positions: caseId === undefined ? undefined : [position] },
    };
  }
}

/** Number of results that a statement scans to find `count`. */
const scanned = ({ filter }: Stretch, count: number): number =>
  Object.values(filter).some((value) => value !== undefined) ? MAX_SCANNED_RESULTS : count;
