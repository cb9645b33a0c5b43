import type { CaseInput } from '#lib/contracts/case';
import { findDifference } from '#lib/contracts/find-difference';
import { notFound } from '#lib/contracts/input/problem';
import type { JsonObject } from '#lib/contracts/json/json';
import type { Result } from '#lib/contracts/result';
import type { ErrorKind } from '#lib/contracts/run-input';
import { eachCount } from '#lib/contracts/token-counts';
import type { Evidence, ParsedCall } from '#lib/contracts/verdict';
import { jsonColumn } from '../connection/json-column.js';
import { USAGE_COLUMNS } from './for-workers/result-table.js';
import { parseCase } from './pinned-cases.js';

/** Larger evidence is not read for a row of a table. */
const LEAN_EVIDENCE_BYTES = 16 * 1024;
/** SQL of the evidence that a row of a table needs: where a reply that did not pass differs. */
const LEAN_EVIDENCE = `CASE WHEN NOT r.passed AND octet_length(r.evidence) <= ${LEAN_EVIDENCE_BYTES}
      THEN r.evidence END`;
/** SQL of the bytes of lean evidence `p`, apart from small ones, which take no time worth counting. */
export const COUNTED_LEAN_EVIDENCE = `CASE WHEN NOT p.passed
    AND octet_length(p.evidence) BETWEEN 2048 AND ${LEAN_EVIDENCE_BYTES} THEN octet_length(p.evidence) ELSE 0 END`;

/** SQL of the columns of a result's note, and of the tables that it is in. */
export const NOTE_COLUMNS = 'note.text AS note, note.updated_at AS note_at, noter.name AS note_user';
export const NOTE_TABLES = `LEFT JOIN result_note note ON note.run_id = r.run_id AND note.target = r.target
      AND note.case_position = r.case_position AND note.sample = r.sample
    LEFT JOIN users noter ON noter.id = note.user_id`;

/** SQL: the case in the form that the rescore's version has. */
const SCORED_CASE = `LEFT JOIN suite_version_case n ON n.version_id = r.scored_version
      AND n.position = r.scored_position`;

/**
 * SQL of results with their case and the name of their target, in runs of a team.
 * @param team SQL of its id, such as `$2`
 * @param also SQL of additional columns, each followed by a comma
 * @param rescored whether these are verdicts of a rescore, whose version may have the cases in another form
 */
export const selectResults = (
  results: string,
  team: string,
  { lean = false, also = '', rescored = false } = {},
): string => `
  SELECT ${also} r.run_id, r.generation, r.seq, r.target, r.case_position, r.sample, r.category, r.outcome, r.passed,
    r.tool_score, r.param_score, r.overall, r.error_type, r.format_compliance, r.syntax, r.called,
    ${lean ? `${LEAN_EVIDENCE} AS evidence, NULL AS metrics` : 'r.evidence, r.metrics'}, r.latency_ms, ${USAGE_COLUMNS},
    r.cost_usd, r.cost_reported, r.cached, r.attempts, r.error_kind, r.error_message, r.tool_choice_used,
    r.settled_at, r.abstention, r.scoring_version, ${NOTE_COLUMNS},
    t.provider_key || '::' || t.model_id AS target_name, c.case_id,
    ${rescored ? 'coalesce(n.body, c.body) AS body' : 'c.body'}
  FROM ${results} r JOIN run ON run.id = r.run_id AND run.team_id = ${team}
    JOIN target t ON t.run_id = r.run_id AND t.ordinal = r.target
    JOIN suite_version_case c ON c.version_id = run.suite_version_id AND c.position = r.case_position
    ${NOTE_TABLES}
    ${rescored ? SCORED_CASE : ''}`;

/** A stored result, with its case and the name of its target. */
export interface ResultRow extends ReturnType<typeof eachCount<number | null>> {
  generation: number;
  seq: number;
  run_id: string;
  target: number;
  case_position: number;
  sample: number;
  target_name: string;
  case_id: string;
  body: string;
  category: string | null;
  outcome: 'scored' | 'errored' | 'unmatched';
  /** Null when unmatched */
  passed: boolean | null;
  tool_score: number | null;
  param_score: number | null;
  overall: number | null;
  error_type: string;
  format_compliance: string | null;
  syntax: string | null;
  called: string;
  evidence: string | null;
  metrics: string | null;
  latency_ms: number | null;
  cost_reported: boolean | null;
  cost_usd: number | null;
  cached: boolean;
  attempts: number;
  error_kind: string | null;
  error_message: string | null;
  tool_choice_used: string | null;
  settled_at: Date;
  abstention: boolean;
  scoring_version: number;
  note: string | null;
  note_at: Date | null;
  note_user: string | null;
}

export type Item = Pick<ResultRow, 'target' | 'case_position' | 'sample'>;
export const resultIdOf = ({ target, case_position, sample }: Item): string => `${target}-${case_position}-${sample}`;

/** Maximum of the type of a target and a sample in Postgres, which refuses larger numbers. */
const MAX_SMALLINT = 2 ** 15 - 1;

/** Target, case and sample of a result; undefined if `resultId` is not an id of a result. */
export function parseResultId(resultId: string): Item | undefined {
  const numbers = /^(\d{1,5})-(\d{1,9})-(\d{1,5})$/.exec(resultId)?.slice(1).map(Number);
  if (!numbers) return undefined;
  const [target, case_position, sample] = numbers as [number, number, number];
  return Math.max(target, sample) > MAX_SMALLINT ? undefined : { target, case_position, sample };
}

/** Target, case and sample of a result. @throws ProblemError 404 if `resultId` is not an id of a result */
export function itemOf(resultId: string): number[] {
  const item = parseResultId(resultId);
  if (!item) throw notFound('result', resultId);
  return [item.target, item.case_position, item.sample];
}

/** @param input its case, if already read */
export function toResult(row: ResultRow, input = parseCase(row.body)): Result {
  const unmatched = row.outcome === 'unmatched';
  const judged = {
    passed: row.passed ?? false,
    error_type: unmatched ? 'errored' : (row.error_type as Result['error_type']),
    expected: expectedBy(input),
    called: jsonColumn<ParsedCall[]>(row.called),
    evidence: row.evidence === null ? null : jsonColumn<Evidence>(row.evidence),
  };
  return {
    id: resultIdOf(row),
    seq: row.seq,
    target: row.target_name,
    case_id: row.case_id,
    case_name: input.name ?? null,
    prompt: promptOf(input),
    category: row.category,
    tags: input.tags ?? [],
    source: input.source ?? null,
    sample: row.sample,
    outcome: row.outcome === 'scored' ? 'scored' : 'errored',
    tool_score: row.tool_score,
    param_score: row.param_score,
    overall: row.overall,
    format_compliance: row.format_compliance as Result['format_compliance'],
    syntax: row.syntax as Result['syntax'],
    ...judged,
    difference: findDifference(judged),
    metrics: row.metrics === null ? {} : jsonColumn<Record<string, JsonObject>>(row.metrics),
    scoring_version: row.scoring_version,
    latency_ms: row.latency_ms,
    usage: eachCount((name) => row[name]),
    cost_usd: row.cost_usd,
    cost_reported: row.cost_reported ?? false,
    cached: row.cached,
    attempts: row.attempts,
    error: row.error_kind === null ? null : { kind: row.error_kind as ErrorKind, message: row.error_message ?? '' },
    tool_choice_used: row.tool_choice_used as Result['tool_choice_used'],
    unmatched,
    settled_at: row.settled_at.toISOString(),
    note: row.note === null ? null : { text: row.note, user: row.note_user, updated_at: row.note_at!.toISOString() },
  };
}

/** The expectation of a case, as results show it. */
export const expectedBy = (input: CaseInput): Result['expected'] => ({
  tool: input.expected_tool ?? null,
  params: input.expected_params ?? null,
  ...(input.expected_calls && { calls: input.expected_calls }),
  ...(input.conversation && {
    ...(input.conversation.goal.calls && { calls: input.conversation.goal.calls }),
    goal: input.conversation.goal,
  }),
});

/** The prompt, or the last user message of the conversation. */
export function promptOf(input: CaseInput): string {
  if (input.prompt !== undefined) return input.prompt;
  const last = input.messages?.findLast((message) => message.role === 'user')?.content;
  return typeof last === 'string' ? last : JSON.stringify(last ?? '');
}
