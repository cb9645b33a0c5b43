import { ProblemError } from '#lib/contracts/input/problem';
import type { RunsQuery } from '#lib/contracts/run';
import { SEARCHED_RUNS } from '#lib/contracts/values/runs';
import { hasMarks, markValues, type MarksOfReader } from '../catalogue/marks.js';
import type { Run as StoredRun } from '../generated/client.js';
import { TRY_STEP } from '../made-by.js';

/** SQL of the runs of the team `$1`. @param orderedBy the value that a list is ordered by, as text */
export const selectRuns = (orderedBy = 'NULL'): string => `
  SELECT run.*, orchestration.type AS orchestration_type, experiment.name AS experiment_name,
    (SELECT has_conversations FROM suite_version WHERE id = run.suite_version_id) AS has_conversations,
    ${orderedBy}::text AS ordered_by
  FROM run LEFT JOIN orchestration ON orchestration.id = run.orchestration_id
    LEFT JOIN experiment ON experiment.id = run.experiment_id AND experiment.team_id = run.team_id
  WHERE run.team_id = $1`;

/** A deleted parent belongs to no team (`hideParents`); its runs are removed in batches. */
export const HAS_NO_DELETED_PARENT = '(run.orchestration_id IS NULL OR orchestration.team_id = $1)';

interface Value {
  /** SQL of the value, as the index of this order has it. */
  sql: string;
  type: 'text' | 'float8' | 'numeric';
  first: 'ASC' | 'DESC';
}
/** Numbers are padded to nine digits, so that "Nightly 2" comes before "Nightly 10". */
const NAME = `(regexp_replace(regexp_replace(lower(left(coalesce(run.name, run.suite_name), 200)),
  '(\\d+)', '00000000\\1', 'g'), '0*(\\d{9,})(?!\\d)', '\\1', 'g') COLLATE "C")`;
const VALUES: Record<Exclude<RunsQuery['order'], 'newest'>, Value> = {
  name: { sql: NAME, type: 'text', first: 'ASC' },
  score: { sql: 'run.score', type: 'float8', first: 'DESC' },
  cost: { sql: 'run.cost_usd', type: 'float8', first: 'DESC' },
  duration: { sql: '(extract(epoch FROM run.finished_at - run.started_at))', type: 'numeric', first: 'DESC' },
  errored: { sql: 'run.errored_share', type: 'float8', first: 'DESC' },
};

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** A listed run, and the value that it was ordered by; null if it has none, and by time. */
export type Listed = Pick<StoredRun, 'id'> & { ordered_by: string | null };

/** The id of the last run, and its value in hexadecimal, if it has one. */
export const RUN_CURSOR = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}(?:\.(?:[\da-f]{2}){1,2000})?$/;

export const cursorOf = ({ id, ordered_by: value }: Listed): string =>
  value === null ? id : `${id}.${Buffer.from(value).toString('hex')}`;

interface Statement {
  text: string;
  values: unknown[];
}
type ListQuery = Omit<RunsQuery, 'limit' | 'cursor'> & MarksOfReader;

/**
 * The statements that list runs after a cursor, one after another until a page is full: first those that have the value
 * of the order. Each reads an index of the team in its order.
 */
export function statementsOf(teamId: string, query: ListQuery, cursor: string | undefined): Statement[] {
  const [id, hex] = cursor?.split('.') ?? [];
  const { order, reverse } = query;
  if (order === 'newest') return [byTime(teamId, query, { after: id, reverse })];
  const isNull = `AND ${VALUES[order].sql} IS NULL`;
  if (id !== undefined && hex === undefined) return [byTime(teamId, query, { more: isNull, after: id })];
  const after = id === undefined ? undefined : { id, value: Buffer.from(hex!, 'hex').toString() };
  if (after && VALUES[order].type !== 'text' && !NUMBER.test(after.value))
    throw new ProblemError(400, 'The cursor belongs to a list in another order. Begin with the first page.');
  return [byValue(teamId, query, VALUES[order], after), byTime(teamId, query, { more: isNull })];
}

interface ByTime {
  more?: string;
  after?: string | undefined;
  reverse?: boolean;
}
function byTime(teamId: string, query: ListQuery, { more = '', after, reverse = false }: ByTime): Statement {
  const { text, values, value } = matching(teamId, query);
  const from = after === undefined ? '' : `AND run.id ${reverse ? '>' : '<'} ${value(after)}`;
  return { text: `${selectRuns()} ${text} ${more} ${from} ORDER BY run.id ${reverse ? 'ASC' : 'DESC'}`, values };
}

function byValue(
  teamId: string,
  query: ListQuery,
  { sql, type, first }: Value,
  after: { id: string; value: string } | undefined,
): Statement {
  const { text, values, value } = matching(teamId, query);
  const isUp = (first === 'ASC') !== query.reverse;
  const way = isUp ? 'ASC' : 'DESC';
  const from = after
    ? `AND (${sql}, run.id) ${isUp ? '>' : '<'} (${value(after.value)}::${type}, ${value(after.id)}::uuid)`
    : `AND ${sql} IS NOT NULL`;
  return { text: `${selectRuns(sql)} ${text} ${from} ORDER BY ${sql} ${way}, run.id ${way}`, values };
}

/** The conditions of a query on runs. `value` adds a parameter. */
function matching(teamId: string, query: ListQuery): Statement & { value: (one: unknown) => string } {
  const { suite_id, suiteIds, experiment_id, status, model, orchestrated, q, from, to } = query;
  const values: unknown[] = [teamId];
  const value = (one: unknown): string => `$${values.push(one)}`;
  const conditions = orchestrated
    ? [`(run.step IS NULL OR run.step <> ${value(TRY_STEP)})`, HAS_NO_DELETED_PARENT]
    : ['run.listed'];
  if (suite_id) conditions.push(`run.suite_id = ${value(suite_id)}`);
  if (suiteIds) conditions.push(`run.suite_id = ANY (${value(suiteIds)})`);
  if (experiment_id) conditions.push(`run.experiment_id = ${value(experiment_id)}`);
  if (status) conditions.push(`run.status = ANY (${value(status)})`);
  if (from) conditions.push(`run.id >= uuid7_floor(${value(from)})`);
  if (to) conditions.push(`run.id < uuid7_floor(${value(to)})`);
  // A model by its id, or as `provider_key::model_id`. LIMIT keeps Postgres from reading the models of all runs first.
  if (model)
    conditions.push(
      `(SELECT true FROM target WHERE run_id = run.id
        AND ARRAY[model_id, provider_key || '::' || model_id] && ${value(model)}::text[] LIMIT 1)`,
    );
  if (q !== undefined) conditions.push(hasText(value(`%${q.replace(/[\\%_]/g, '\\$&')}%`)));
  conditions.push(hasMarks('run', 'run.id', markValues(query).map(value)));
  return { text: conditions.map((condition) => `AND ${condition}`).join(' '), values, value };
}

const hasText = (pattern: string): string =>
  `(run.name ILIKE ${pattern} OR run.note ILIKE ${pattern} OR run.suite_name ILIKE ${pattern})
   AND run.id > coalesce((SELECT id FROM run WHERE team_id = $1 AND listed ORDER BY id DESC
     OFFSET ${SEARCHED_RUNS} LIMIT 1), '00000000-0000-0000-0000-000000000000')`;
