import type { CaseInput } from '#lib/contracts/case';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { Page, PageQuery } from '#lib/contracts/page';
import { notFound } from '#lib/contracts/input/problem';
import type { Result } from '#lib/contracts/result';
import type { ErrorKind } from '#lib/contracts/run';
import type { Tool } from '#lib/contracts/tool';
import type { Evidence, ParsedCall } from '#lib/contracts/verdict';
import type { Pool, PoolClient } from '../connection/pool.js';
import type { TeamScoped } from '../team-isolation.js';
import { parseCase } from './pinned-cases.js';
import { resultTable } from './for-workers/result-table.js';
import { unpackExchange, type StoredExchange } from './stored-exchange.js';

export interface ResultFilter {
  model?: string;
  outcome?: string;
  error_type?: string;
  category?: string;
  passed?: boolean;
  rescore_id?: string;
}

/** A result with its case and its exchange. */
export interface ResultDetails {
  result: Result;
  input: CaseInput;
  suiteTools: Tool[];
  abstention: boolean;
  exchange: StoredExchange | null;
}

/** A page looks at up to this many results, whatever its filter leaves of them, so that no page takes long. */
const MAX_SCANNED_RESULTS = 20_000;

/** The results of a team's runs. */
export class ResultRepository implements TeamScoped {
  constructor(
    readonly db: Pool,
    readonly teamId: string,
  ) {}

  /**
   * Results in the order they were settled, with the verdicts of a rescore if the filter names one. Where a filter
   * leaves little, a page may hold fewer results than asked for, even none. The cursor, `generation.seq`, is the
   * last result that the page looked at.
   */
  async list(
    runId: string,
    { rescore_id: rescoreId, ...filter }: ResultFilter,
    { limit, cursor }: PageQuery,
  ): Promise<Page<Result>> {
    const after = (cursor ?? '0.0').split('.').map(Number);
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    const { rows } = await this.db.query<Row>(
      `WITH scanned AS (
         SELECT * FROM ${resultTable(rescoreId && '$11')} r WHERE r.run_id = $1 AND (r.generation, r.seq) > ($3, $4)
         ORDER BY r.generation, r.seq LIMIT $10
       ), page AS (
         SELECT * FROM scanned r
         WHERE ($5::text IS NULL OR r.target IN (SELECT ordinal FROM target
             WHERE run_id = $1 AND (provider_key || '::' || model_id = $5 OR model_id = $5)))
           AND ($6::text IS NULL OR r.outcome = $6) AND ($7::text IS NULL OR r.error_type = $7)
           AND ($8::text IS NULL OR r.category = $8) AND ($9::bool IS NULL OR r.passed = $9)
         ORDER BY r.generation, r.seq LIMIT ${limit + 1}
       )
       ${selectFrom('page')} ORDER BY r.generation, r.seq`,
      [
        runId,
        this.teamId,
        ...after,
        filter.model ?? null,
        filter.outcome ?? null,
        filter.error_type ?? null,
        filter.category ?? null,
        filter.passed ?? null,
        isFiltered ? MAX_SCANNED_RESULTS : limit + 1,
        ...(rescoreId ? [rescoreId] : []),
      ],
    );
    const items = rows.slice(0, limit).map((row) => toResult(row));
    if (rows.length > limit) return { items, next_cursor: cursorOf(rows[limit - 1]!) };
    return { items, next_cursor: isFiltered ? await this.#endOfScan(runId, after) : null };
  }

  /** The cursor behind the results that a filtered page looked at; null when there are no more. */
  async #endOfScan(runId: string, after: number[]): Promise<string | null> {
    const { rows } = await this.db.query<Place>(
      `SELECT generation, seq FROM result
       WHERE run_id = $1 AND (generation, seq) > ($3, $4)
         AND EXISTS (SELECT 1 FROM run WHERE id = $1 AND team_id = $2)
       ORDER BY generation, seq OFFSET $5 LIMIT 1`,
      [runId, this.teamId, ...after, MAX_SCANNED_RESULTS - 1],
    );
    return rows[0] ? cursorOf(rows[0]) : null;
  }

  /** @throws ProblemError 404 */
  async read(runId: string, resultId: string, rescoreId?: string): Promise<ResultDetails> {
    const item = /^(\d{1,5})-(\d{1,9})-(\d{1,5})$/.exec(resultId)?.slice(1).map(Number);
    if (!item) throw notFound('result', resultId);
    const { rows } = await this.db.query<Row>(
      `${selectFrom(resultTable(rescoreId && '$6'))}
       WHERE r.run_id = $1 AND r.target = $3 AND r.case_position = $4 AND r.sample = $5`,
      [runId, this.teamId, ...item, ...(rescoreId ? [rescoreId] : [])],
    );
    const row = rows[0];
    if (!row) throw notFound('result', resultId);
    const { rows: kept } = await this.db.query<{ body: Buffer | null; tools: string }>(
      `SELECT e.body, v.tools FROM run r JOIN suite_version v ON v.id = r.suite_version_id
         LEFT JOIN exchange e ON e.run_id = r.id AND e.target = $3 AND e.case_position = $4 AND e.sample = $5
       WHERE r.id = $1 AND r.team_id = $2`,
      [runId, this.teamId, ...item],
    );
    return {
      result: toResult(row),
      input: parseCase(row.body),
      suiteTools: parseJson(kept[0]?.tools ?? '[]') as unknown as Tool[],
      abstention: row.abstention,
      exchange: await unpackExchange(kept[0]?.body),
    };
  }
}

/** What a comparison shows of the results of a case: the first scored sample that did not pass, or the first one. */
export type ShownResult = Pick<ResultDetails, 'result' | 'input' | 'abstention'> & { runId: string };

/**
 * The shown result of each of these cases of a target, by position.
 * @param runIds a run, and those that added samples to it
 */
export async function readShownResults(
  db: Pool | PoolClient,
  teamId: string,
  { runIds, ordinal, rescoreId }: { runIds: readonly string[]; ordinal: number; rescoreId?: string | undefined },
  positions: readonly number[],
): Promise<Map<number, ShownResult>> {
  const { rows } = await db.query<Row>(
    `SELECT DISTINCT ON (found.case_position) * FROM (
       ${selectFrom(resultTable(rescoreId && '$5'))}
       WHERE r.run_id = ANY ($1) AND r.target = $3 AND r.case_position = ANY ($4)
     ) found ORDER BY case_position, outcome = 'errored', passed, sample`,
    [runIds, teamId, ordinal, positions, ...(rescoreId ? [rescoreId] : [])],
  );
  return new Map(
    rows.map((row) => [
      row.case_position,
      { runId: row.run_id, result: toResult(row), input: parseCase(row.body), abstention: row.abstention },
    ]),
  );
}

interface Place {
  generation: number;
  seq: number;
}
const cursorOf = ({ generation, seq }: Place): string => `${generation}.${seq}`;

/** SQL of results with their case and the name of their target, in runs of the team `$2`. */
const selectFrom = (results: string): string => `
  SELECT r.*, t.provider_key || '::' || t.model_id AS target_name, c.case_id, c.body
  FROM ${results} r JOIN run ON run.id = r.run_id AND run.team_id = $2
    JOIN target t ON t.run_id = r.run_id AND t.ordinal = r.target
    JOIN suite_version_case c ON c.version_id = run.suite_version_id AND c.position = r.case_position`;

export interface Row extends Place {
  run_id: string;
  target: number;
  case_position: number;
  sample: number;
  target_name: string;
  case_id: string;
  body: string;
  category: string | null;
  outcome: 'scored' | 'errored';
  passed: boolean;
  tool_score: number | null;
  param_score: number | null;
  overall: number | null;
  error_type: string;
  format_compliance: string | null;
  called: string;
  evidence: string | null;
  metrics: string | null;
  latency_ms: number | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  cost_usd: number | null;
  cached: boolean;
  attempts: number;
  error_kind: string | null;
  error_message: string | null;
  tool_choice_used: string | null;
  settled_at: Date;
  abstention: boolean;
  scoring_version: number;
}

/** @param input the case, where it was read already */
export function toResult(row: Row, input: CaseInput = parseCase(row.body)): Result {
  return {
    id: `${row.target}-${row.case_position}-${row.sample}`,
    seq: row.seq,
    target: row.target_name,
    case_id: row.case_id,
    case_name: input.name ?? null,
    prompt: promptOf(input),
    category: row.category,
    sample: row.sample,
    outcome: row.outcome,
    passed: row.passed,
    tool_score: row.tool_score,
    param_score: row.param_score,
    overall: row.overall,
    error_type: row.error_type as Result['error_type'],
    format_compliance: row.format_compliance as Result['format_compliance'],
    expected: {
      tool: input.expected_tool ?? null,
      params: input.expected_params ?? null,
      ...(input.expected_calls && { calls: input.expected_calls }),
    },
    called: parseJson(row.called) as unknown as ParsedCall[],
    evidence: row.evidence === null ? null : (parseJson(row.evidence) as unknown as Evidence),
    metrics: row.metrics === null ? {} : (parseJson(row.metrics) as Record<string, JsonObject>),
    scoring_version: row.scoring_version,
    latency_ms: row.latency_ms,
    usage: { prompt_tokens: row.prompt_tokens, completion_tokens: row.completion_tokens },
    cost_usd: row.cost_usd,
    cached: row.cached,
    attempts: row.attempts,
    error: row.error_kind === null ? null : { kind: row.error_kind as ErrorKind, message: row.error_message ?? '' },
    tool_choice_used: row.tool_choice_used as Result['tool_choice_used'],
    settled_at: row.settled_at.toISOString(),
  };
}

/** The prompt, or what the user said last in the conversation. */
function promptOf(input: CaseInput): string {
  if (input.prompt !== undefined) return input.prompt;
  const last = input.messages?.findLast((message) => message.role === 'user')?.content;
  return typeof last === 'string' ? last : JSON.stringify(last ?? '');
}
