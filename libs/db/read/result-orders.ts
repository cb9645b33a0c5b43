import type { ResultOrder } from '#lib/contracts/result';
import { ERROR_TYPES } from '#lib/contracts/values/verdicts';
import type { ErrorType } from '#lib/contracts/verdict';
import { resultTable } from './for-workers/result-table.js';
import type { Parameter, RowFilter } from './result-filter.js';
import { parseResultId, type Item, type ResultRow } from './result-rows.js';

/** A run, and which part of it is listed. */
export interface ListedRun {
  id: string;
  versionId: string;
  /** Positions of its cases, in order; empty: all of the version. */
  positions: readonly number[];
  samples: number;
  /** Ordinals of the listed models. */
  ordinals: readonly number[];
  rescoreId: string | undefined;
}

/** The sort keys of a result. Each order reads some of them. */
export type Placed = Pick<
  ResultRow,
  'generation' | 'seq' | 'error_type' | 'target' | 'case_position' | 'sample' | 'passed'
>;
export type Direction = 'after' | 'before';

/** A part of a list that an index has in its order. In its SQL, `$1` is the run. */
export interface Stretch {
  /** The conditions that `rows` does not apply. */
  filter: RowFilter;
  /** SQL of its first results, in order. @param most maximum number of results */
  rows(parameter: Parameter, most: number): string;
  /** SQL of the place of the last one of these; no row when `rows` covers the whole stretch. */
  end(parameter: Parameter, most: number): string;
}

type OneStretch = (run: ListedRun, filter: RowFilter, cursor: string | undefined, direction: Direction) => Stretch;

export interface Order {
  /** The form of its cursors. */
  form: RegExp;
  cursorOf(result: Placed): string;
  /** The whole list, or the part after or before a cursor. */
  stretches(...of: Parameters<OneStretch>): Stretch[];
}

/** Maximum number of results that a page scans, however few match its filter, so that no page takes long. */
export const MAX_SCANNED_RESULTS = 20_000;

const BEYOND = 2 ** 31 - 1;
/** Upper bound of models and samples: no result of a case comes after it. */
const MAX_ORDINAL = 2 ** 15 - 1;
const SQL = {
  after: { than: '>', order: 'ASC', start: -1 },
  before: { than: '<', order: 'DESC', start: BEYOND },
};
const numbersOf = (cursor: string): number[] => cursor.match(/\d+/g)!.map(Number);

export const ORDERS: Record<ResultOrder, Order> = {
  settled: {
    form: /^\d{1,9}\.\d{1,9}$/,
    cursorOf: ({ generation, seq }) => `${generation}.${seq}`,
    stretches: (run, filter, cursor, direction) => [settled(run, filter, cursor, direction)],
  },
  failures: {
    form: new RegExp(`^(failed\\.(${ERROR_TYPES.join('|')})|passed)\\.\\d{1,5}\\.\\d{1,9}\\.\\d{1,5}$`),
    cursorOf: ({ passed, error_type, target, case_position, sample }) =>
      `${passed ? 'passed' : `failed.${error_type}`}.${target}.${case_position}.${sample}`,
    stretches: failuresFirst,
  },
  case: {
    form: /^case\.\d{1,9}\.\d{1,5}\.\d{1,5}$/,
    cursorOf: ({ case_position, target, sample }) => `case.${case_position}.${target}.${sample}`,
    stretches: (run, filter, cursor, direction) => [byCase(run, filter, cursor, direction)],
  },
};

const tableOf = ({ rescoreId }: ListedRun, parameter: Parameter): string =>
  resultTable(rescoreId && parameter(rescoreId));

const endOf =
  (rows: Stretch['rows'], place: string): Stretch['end'] =>
  (parameter, most) =>
    `SELECT ${place} FROM (${rows(parameter, most)}) r OFFSET ${most - 1} LIMIT 1`;

/** Single results, in the order of their ids. */
export function namedResults(run: ListedRun, filter: RowFilter, ids: readonly string[]): Stretch {
  const items = ids.flatMap((id) => parseResultId(id) ?? []);
  const column = (of: (item: Item) => number): number[] => items.map(of);
  const rows: Stretch['rows'] = (parameter) =>
    `SELECT r.* FROM unnest(${parameter(column(({ target }) => target))}::smallint[],
         ${parameter(column((item) => item.case_position))}::int[],
         ${parameter(column(({ sample }) => sample))}::smallint[]
       ) WITH ORDINALITY AS item (target, case_position, sample, n)
     CROSS JOIN LATERAL (
       SELECT * FROM ${tableOf(run, parameter)} r WHERE r.run_id = $1 AND r.target = item.target
         AND r.case_position = item.case_position AND r.sample = item.sample
     ) r ORDER BY item.n`;
  return { filter, rows, end: () => 'SELECT NULL WHERE $1::uuid IS NULL' };
}

const settled: OneStretch = (run, filter, cursor, direction) => {
  const { than, order, start } = SQL[direction];
  const [generation, seq] = cursor === undefined ? [start, start] : numbersOf(cursor);
  const rows: Stretch['rows'] = (parameter, most) =>
    `SELECT * FROM ${tableOf(run, parameter)} r
     WHERE r.run_id = $1 AND (r.generation, r.seq) ${than} (${parameter(generation)}::int, ${parameter(seq)}::int)
     ORDER BY r.generation ${order}, r.seq ${order} LIMIT ${most}`;
  return { filter, rows, end: endOf(rows, 'generation, seq') };
};

/** First the results that did not pass, by the index of failures; then the rest, by the primary key. */
function failuresFirst(run: ListedRun, filter: RowFilter, cursor: string | undefined, direction: Direction): Stretch[] {
  const parts = direction === 'after' ? (['failed', 'passed'] as const) : (['passed', 'failed'] as const);
  const at = parts.find((part) => cursor?.startsWith(part));
  return parts
    .slice(at ? parts.indexOf(at) : 0)
    .filter((part) => filter.passed !== (part === 'failed'))
    .map((part) => bySegment(run, filter, part, { cursor: part === at ? cursor : undefined, direction }));
}

/** Results of one model, and of one error type if they failed, that are adjacent in an index. */
interface Segment {
  type: ErrorType | null;
  target: number;
}

function bySegment(
  run: ListedRun,
  { ordinals: _ordinals, ...filter }: RowFilter,
  part: 'failed' | 'passed',
  { cursor, direction }: { cursor: string | undefined; direction: Direction },
): Stretch {
  const { than, order, start } = SQL[direction];
  const types = part === 'failed' ? failedTypes(filter) : [null];
  const all = types.flatMap((type) => run.ordinals.map((target): Segment => ({ type, target })));
  const [target = start, position = start, sample = start] = cursor === undefined ? [] : numbersOf(cursor);
  const type = part === 'failed' ? (cursor?.split('.')[1] as ErrorType) : null;
  const first = rankOf({ type, target });
  const isLeft = (rank: number): boolean => (direction === 'after' ? rank >= first : rank <= first);
  const segments = all.filter((segment) => cursor === undefined || isLeft(rankOf(segment)));
  if (direction === 'before') segments.reverse();
  const begun = (segment: Segment): boolean => cursor !== undefined && rankOf(segment) === first;
  const rows: Stretch['rows'] = (parameter, most) =>
    // The rows of each segment follow those of the previous one, because a lateral query with a limit can only be a
    // nested loop. ORDER BY would sort every segment completely before the first row.
    `SELECT r.* FROM unnest(${parameter(segments.map(({ type }) => type))}::text[],
         ${parameter(segments.map((segment) => segment.target))}::int[],
         ${parameter(segments.map((segment) => (begun(segment) ? position : start)))}::int[],
         ${parameter(segments.map((segment) => (begun(segment) ? sample : start)))}::int[]
       ) AS s (error_type, target, case_position, sample)
     CROSS JOIN LATERAL (
       SELECT * FROM ${tableOf(run, parameter)} r
       WHERE r.run_id = $1 ${part === 'failed' ? 'AND NOT r.passed AND r.error_type = s.error_type' : ''}
         AND r.target = s.target AND (r.case_position, r.sample) ${than} (s.case_position, s.sample)
       ORDER BY r.case_position ${order}, r.sample ${order} LIMIT ${most}
     ) r LIMIT ${most}`;
  const place = part === 'failed' ? 'error_type, false AS passed' : 'true AS passed';
  const left: RowFilter =
    part === 'passed' ? { ...filter, passed: true } : { ...filter, passed: undefined, error_type: undefined };
  return { filter: left, rows, end: endOf(rows, `target, case_position, sample, ${place}`) };
}

/** What a model did wrong comes before what its provider did. */
const FAILURE_ORDER: readonly ErrorType[] = [...ERROR_TYPES.filter((type) => type !== 'errored'), 'errored'];

const rankOf = ({ type, target }: Segment): number => (type ? FAILURE_ORDER.indexOf(type) * 2 ** 16 : 0) + target;

const failedTypes = ({ error_type: asked, outcome }: RowFilter): ErrorType[] =>
  FAILURE_ORDER.filter(
    (type) => (!asked || asked.includes(type)) && (!outcome || (type === 'errored') === (outcome === 'errored')),
  );

const byCase: OneStretch = (run, { ordinals: _ordinals, positions = run.positions, ...filter }, cursor, direction) => {
  const { than, order, start } = SQL[direction];
  const [position = start, target = start, sample = start] = cursor === undefined ? [] : numbersOf(cursor);
  const most = Math.max(1, Math.floor(MAX_SCANNED_RESULTS / Math.max(1, run.ordinals.length * run.samples)));
  const cases = (parameter: Parameter): string =>
    `(SELECT c.position FROM suite_version_case c
      WHERE c.version_id = (SELECT suite_version_id FROM run WHERE id = $1)
        AND c.position ${than}= ${parameter(position)}
        ${positions.length ? `AND c.position = ANY (${parameter(positions)})` : ''}
      ORDER BY c.position ${order} LIMIT ${most})`;
  const rows: Stretch['rows'] = (parameter) =>
    `SELECT r.* FROM ${cases(parameter)} c CROSS JOIN LATERAL (
       SELECT * FROM ${tableOf(run, parameter)} r
       WHERE r.run_id = $1 AND r.case_position = c.position AND r.target = ANY (${parameter(run.ordinals)})
         AND (c.position <> ${parameter(position)} OR
           (r.target, r.sample) ${than} (${parameter(target)}::int, ${parameter(sample)}::int))
       ORDER BY r.target ${order}, r.sample ${order} LIMIT ${MAX_SCANNED_RESULTS}
     ) r`;
  const end: Stretch['end'] = (parameter) =>
    `SELECT position AS case_position, ${MAX_ORDINAL} AS target, ${MAX_ORDINAL} AS sample
     FROM ${cases(parameter)} c OFFSET ${most - 1} LIMIT 1`;
  return { filter, rows, end };
};
