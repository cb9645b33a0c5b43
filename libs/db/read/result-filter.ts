import { TOOL_LABELS } from '#lib/contracts/values/verdicts';
import type { ResultsFilter } from '#lib/contracts/result';
import { CALLED_NAME, readableJson } from './case-measurements.js';
import { EXPECTED_LABELS } from './expected-tool.js';
import { MISSED } from './missed-figures.js';
import { scoredCases, scoredVersion } from './for-workers/scored-cases.js';

/** A filter of results, without the order. */
export type ResultFilter = Partial<Omit<ResultsFilter, 'order'>>;

/** The part of it that applies to rows: with ordinals of models and positions of cases in their run; undefined: all. */
export type RowFilter = Omit<ResultFilter, 'model' | 'case_id' | 'rescore_id'> & {
  ordinals?: readonly number[] | undefined;
  positions?: readonly number[] | undefined;
};

/** Adds a parameter to a statement and returns its placeholder: `$3`. */
export type Parameter = (value: unknown) => string;

/** A run, whose version of the suite or that of a rescore has the expectations that are filtered by. */
interface FilteredRun {
  id: string;
  versionId: string;
  rescoreId: string | undefined;
}

/** SQL: result `r` has a note. A set of places, which is read once. */
const HAS_NOTE = `(r.target, r.case_position, r.sample) IN (
  SELECT n.target, n.case_position, n.sample FROM result_note n WHERE n.run_id = $1)`;

/** SQL of a filter's conditions on rows `r` of results. */
export function conditionsOf(filter: RowFilter, run: FilteredRun, parameter: Parameter): string[] {
  const conditions: string[] = [];
  const add = (given: unknown, condition: () => string): void => {
    if (given !== undefined) conditions.push(condition());
  };
  // IS TRUE keeps Postgres from joining the cases, which would lose the order of the results.
  const cases = (condition: string): string =>
    `(r.case_position IN (SELECT c.position FROM ${scoredCases(scoredBy(run, parameter))} c
       WHERE ${condition})) IS TRUE`;
  add(filter.ordinals, () => `r.target = ANY (${parameter(filter.ordinals)})`);
  add(filter.positions, () => `r.case_position = ANY (${parameter(filter.positions)})`);
  add(filter.outcome, () => `r.outcome = ${parameter(filter.outcome)}`);
  add(filter.passed, () => `r.passed = ${parameter(filter.passed)}`);
  add(filter.error_type, () => `r.error_type = ANY (${parameter(filter.error_type)})`);
  add(filter.category, () => `r.category = ANY (${parameter(filter.category)})`);
  add(filter.format, () => `r.format_compliance = ANY (${parameter(filter.format)})`);
  add(filter.syntax, () => `r.syntax = ANY (${parameter(filter.syntax)})`);
  add(filter.missed, () => `${MISSED} && ${parameter(filter.missed)}::text[]`);
  add(filter.latency_min_ms, () => `r.latency_ms >= ${parameter(filter.latency_min_ms)}`);
  add(filter.latency_max_ms, () => `r.latency_ms <= ${parameter(filter.latency_max_ms)}`);
  add(filter.overall_min, () => `r.overall >= ${parameter(filter.overall_min)}::float8`);
  add(filter.overall_max, () => `r.overall <= ${parameter(filter.overall_max)}::float8`);
  add(filter.noted, () => `(${HAS_NOTE}) IS ${filter.noted ? 'TRUE' : 'NOT TRUE'}`);
  add(filter.tag, () => cases(`c.tags && ${parameter(filter.tag)}::text[]`));
  add(filter.expected_tool, () => cases(`${EXPECTED_LABELS} && ${parameter(filter.expected_tool)}::text[]`));
  add(filter.called_tool, () => called(filter.called_tool!, run, parameter));
  return conditions;
}

const scoredBy = (
  { id, versionId, rescoreId }: FilteredRun,
  parameter: Parameter,
): Parameters<typeof scoredCases>[0] => ({
  version: parameter(versionId),
  rescore: rescoreId === undefined ? undefined : { run: parameter(id), id: parameter(rescoreId) },
});

function called(labels: readonly string[], run: FilteredRun, parameter: Parameter): string {
  const others = Object.values<string>(TOOL_LABELS);
  const names = labels.filter((label) => !others.includes(label)).map((name) => name.toLowerCase());
  const isCalled = (condition: string): string => `(r.called <> '[]' AND ${condition})`;
  const any = [
    ...(labels.includes(TOOL_LABELS.none) ? [`r.called = '[]'`] : []),
    ...(labels.includes(TOOL_LABELS.unknown) ? [isCalled(isUnknown(scoredBy(run, parameter)))] : []),
    ...(names.length ? [isCalled(`${CALLED_NAME} = ANY (${parameter(names)})`)] : []),
  ];
  return `(r.outcome = 'scored' AND (${any.join(' OR ')}))`;
}

/** SQL: the called tool is neither in the suite nor expected by the case. IS TRUE as above. */
const isUnknown = (scored: Parameters<typeof scoredCases>[0]): string => `NOT coalesce(${CALLED_NAME} = ANY (ARRAY(
    SELECT lower(tool #>> '{function,name}')
    FROM suite_version v, json_array_elements(${readableJson('v.tools')}) tool
    WHERE v.id = ${scoredVersion(scored)}
  )), false) AND (NOT EXISTS (
    SELECT 1 FROM ${scoredCases(scored)} c, unnest(${EXPECTED_LABELS}) label
    WHERE c.position = r.case_position AND lower(label) = ${CALLED_NAME}
  )) IS TRUE`;
