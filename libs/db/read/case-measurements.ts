import type { Pool, PoolClient } from '../connection/pool.js';
import { resultTable } from './for-workers/result-table.js';

/** The results to measure: those of one target, or of some of its cases. */
export interface MeasuredTarget {
  runId: string;
  ordinal: number;
  rescoreId?: string;
  /** Positions of the cases; undefined: all of the run. */
  positions?: readonly number[];
  /** `overall`, `passed`, or the name of an additional metric. */
  measure: string;
  /** Lower-case tool names; `called` holds indexes into them. */
  tools: readonly string[];
}

/** The results of a target in one case, from one row of a grouped statement. */
export interface MeasuredCase {
  position: number;
  /** Samples with a value of the measure. */
  scored: number;
  errored: number;
  /** Scored samples that declined, or ended at their token limit before a call was whole. */
  refused: number;
  cut_off: number;
  passed: number;
  /** Mean of the measure over these samples; null if there are none. */
  mean: number | null;
  /** Sample variance of the measure; null below two samples. */
  variance: number | null;
  overall_sum: number;
  overall_count: number;
  cost: number | null;
  /** Milliseconds of the scored samples, separated by spaces; null if none is known. */
  latencies: string | null;
  /** For each scored sample an index into `tools`, `NO_CALL` or `UNKNOWN_TOOL`, separated by spaces. */
  called: string | null;
}
export const NO_CALL = -1;
export const UNKNOWN_TOOL = -2;

/**
 * One row per case of a target, in the order of the cases. A grouped statement that reads the results once, in the
 * order of their primary key.
 */
export async function readMeasuredCases(
  db: Pool | PoolClient,
  teamId: string,
  { runId, ordinal, rescoreId, positions, measure, tools }: MeasuredTarget,
): Promise<MeasuredCase[]> {
  const values: unknown[] = [runId, ordinal, teamId, tools];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const { rows } = await db.query<MeasuredCase>(
    `SELECT case_position AS position, count(measure)::int AS scored,
       count(*) FILTER (WHERE outcome <> 'scored')::int AS errored,
       count(*) FILTER (WHERE error_type = 'refused')::int AS refused,
       count(*) FILTER (WHERE error_type = 'cut_off')::int AS cut_off,
       count(*) FILTER (WHERE passed AND measure IS NOT NULL)::int AS passed,
       avg(measure) AS mean, var_samp(measure) AS variance,
       coalesce(sum(overall), 0) AS overall_sum, count(overall)::int AS overall_count, sum(cost_usd) AS cost,
       string_agg(latency_ms::text, ' ') FILTER (WHERE outcome = 'scored') AS latencies,
       string_agg(called_index::text, ' ') AS called
     FROM (
       SELECT case_position, outcome, passed, overall, error_type, cost_usd, latency_ms,
         CASE WHEN outcome = 'scored' THEN ${measureOf(measure, parameter)} END AS measure,
         CASE WHEN outcome = 'scored' THEN ${CALLED_INDEX} END AS called_index
       FROM ${resultTable(rescoreId && parameter(rescoreId))} r
       WHERE run_id = $1 AND target = $2 AND outcome <> 'unmatched'
         AND EXISTS (SELECT 1 FROM run WHERE id = $1 AND team_id = $3)
         ${positions ? `AND case_position = ANY (${parameter(positions)}::int[])` : ''}
     ) sample
     GROUP BY case_position ORDER BY case_position`,
    values,
  );
  return rows;
}

/**
 * SQL that makes stored JSON readable for Postgres. Arguments of a call may contain U+0000 or half a surrogate pair,
 * which stored JSON has as escapes, and Postgres refuses to read any part of such a document. What such texts become
 * does not matter here: only numbers and names of tools are read. The replacement leaves the JSON valid, because `\/`
 * is an escape, too.
 */
export const readableJson = (json: string): string => String.raw`replace(${json}, '\u', '/u')::json`;

function measureOf(measure: string, parameter: (value: unknown) => string): string {
  if (measure === 'overall') return 'overall';
  if (measure === 'passed') return 'passed::int::float8';
  return `(${readableJson('metrics')} -> ${parameter(measure)}::text ->> 'score')::float8`;
}

/**
 * Index of the call that answers an expected one, or of the first call. Common forms are recognised without parsing
 * JSON.
 */
const CALL = `CASE
  WHEN evidence IS NULL OR evidence LIKE '{"pairs":[{"called":0,%' OR evidence LIKE '{"pairs":[]%' THEN 0
  ELSE coalesce((${readableJson('evidence')} #>> '{pairs,0,called}')::int, 0) END`;

/** Almost every stored list of calls begins like this. A name longer than a tool name may be is truncated. */
const NAME_FIRST = '[{"name":"';
/** SQL of the lower-case name, of results that have a call. */
export const CALLED_NAME = `lower(
  CASE WHEN starts_with(called, '${NAME_FIRST}') AND (${CALL}) = 0
    THEN split_part(substr(called, ${NAME_FIRST.length + 1}, 70), '"', 1)
    ELSE ${readableJson('called')} -> (${CALL}) ->> 'name' END)`;
const CALLED_INDEX = `CASE WHEN called = '[]' THEN ${NO_CALL}
  ELSE coalesce(array_position($4::text[], ${CALLED_NAME}) - 1, ${UNKNOWN_TOOL}) END`;
