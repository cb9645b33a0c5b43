import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import type { CaseInput } from '#lib/contracts/case';
import { isObject, parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { JobStatus } from '#lib/contracts/job';
import type { Page } from '#lib/contracts/page';
import { notFound } from '#lib/contracts/problem';
import type { Actual, ErrorKind, Estimate, Result, Run, RunWarning } from '#lib/contracts/run';
import type { Summary } from '#lib/contracts/summary';
import type { Evidence, ParsedCall } from '#lib/contracts/verdict';
import { parseCase } from './pinned-cases.js';
import type { Pool } from '../connection/pool.js';
import { summaryOf } from './summaries.js';
import type { Prisma } from '../connection/prisma.js';
import type { Tool } from '#lib/contracts/tool';
import { resultTable } from './results.js';

const withTargets = { targets: { orderBy: { ordinal: 'asc' } } } as const;
type RunRow = NonNullable<Awaited<ReturnType<typeof findRun>>>;
const findRun = (prisma: Prisma, teamId: string, id: string) =>
  prisma.run.findFirst({ where: { id, team_id: teamId }, include: withTargets });

function toRun(row: RunRow, warnings: RunWarning[]): Run {
  const targets = row.targets.map((t) => ({
    target: `${t.provider_key}::${t.model_id}`,
    provider_key: t.provider_key,
    model_id: t.model_id,
    total: t.n,
    settled: t.settled,
    errored: t.errored,
    passed: t.passed,
    ...(t.recorded && { recorded: true as const }),
  }));
  const sum = (key: 'total' | 'settled' | 'errored' | 'passed'): number =>
    targets.reduce((total, target) => total + target[key], 0);
  const means = row.targets.flatMap((t) => (t.settled > t.errored ? [t.overall_sum / (t.settled - t.errored)] : []));
  return {
    id: row.id,
    job_id: row.job_id,
    suite: { id: row.suite_id, name: row.suite_name, version: row.suite_version },
    status: row.status as JobStatus,
    config: {
      ...(parseJson(row.config) as JsonObject),
      models: row.targets.map((t) => ({
        provider_key: t.provider_key,
        model_id: t.model_id,
        params: parseJson(t.params),
      })),
    },
    targets,
    counts: { total: sum('total'), settled: sum('settled'), errored: sum('errored'), passed: sum('passed') },
    score: row.score ?? (means.length ? means.reduce((a, b) => a + b, 0) / means.length : null),
    delta: row.delta,
    summaries: row.targets.flatMap((t) => (t.summary ? [summaryOf(t.summary)] : [])),
    experiment_id: row.experiment_id,
    estimate: row.estimate === null ? null : (JSON.parse(row.estimate) as Estimate),
    actual: actualOf(row),
    warnings,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

/** What a run took, once it has ended and its summaries are made. What a recording took was taken elsewhere. */
function actualOf({ targets, started_at: startedAt, finished_at: finishedAt }: RunRow): Actual | null {
  const summaries = targets.flatMap((t) => (t.summary ? [summaryOf(t.summary)] : []));
  if (!finishedAt || summaries.length === 0 || targets.every(({ recorded }) => recorded)) return null;
  const total = (of: (summary: Summary) => number): number => summaries.reduce((sum, summary) => sum + of(summary), 0);
  return {
    requests: targets.reduce((sum, t) => sum + t.requests, 0),
    cached: total((s) => s.cached.results),
    prompt_tokens: total((s) => s.usage.prompt_tokens - s.cached.prompt_tokens),
    completion_tokens: total((s) => s.usage.completion_tokens - s.cached.completion_tokens),
    cost_usd: summaries.some((s) => s.cost_usd === null) ? null : total((s) => s.cost_usd!),
    duration_s: startedAt ? (finishedAt.getTime() - startedAt.getTime()) / 1000 : 0,
  };
}

export async function listRuns(
  prisma: Prisma,
  teamId: string,
  limit: number,
  cursor: string | undefined,
): Promise<Page<Run>> {
  const rows = await prisma.run.findMany({
    where: { team_id: teamId, ...(cursor && { id: { lt: cursor } }) },
    include: withTargets,
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  const items = rows.slice(0, limit);
  const warnings = await warningsOf(
    prisma,
    items.map(({ id }) => id),
  );
  return {
    items: items.map((row) => toRun(row, warnings(row.id))),
    next_cursor: rows.length > limit ? rows[limit - 1]!.id : null,
  };
}

export async function readRun(prisma: Prisma, teamId: string, id: string): Promise<Run> {
  const row = await findRun(prisma, teamId, id);
  if (!row) throw notFound('run', id);
  return toRun(row, (await warningsOf(prisma, [id]))(id));
}

const MOST_WARNINGS = 200;

/** The warnings of each of some runs. */
async function warningsOf(prisma: Prisma, runIds: string[]): Promise<(runId: string) => RunWarning[]> {
  const rows = await prisma.$queryRaw<{ run_id: string; code: string; message: string | null; at: Date | null }[]>`
    SELECT w.* FROM unnest(${runIds}::uuid[]) AS runs (id) CROSS JOIN LATERAL (
      SELECT run_id, code, message, at FROM run_warning WHERE run_id = runs.id ORDER BY at NULLS FIRST, code LIMIT ${MOST_WARNINGS}) w`;
  const byRun = Map.groupBy(rows, (row) => row.run_id);
  return (runId) =>
    (byRun.get(runId) ?? []).map(({ code, message, at }) => ({ code, message, at: at?.toISOString() ?? null }));
}

/**
 * What the requests of a run are sent with, by target: the parameters that it was submitted with, and its model's
 * as they are now.
 */
export async function readParams(
  pool: Pool,
  teamId: string,
  runId: string,
): Promise<{ providerKey: string; modelId: string; params: JsonObject; defaultParams: JsonObject }[]> {
  const { rows } = await pool.query<{
    config: string;
    provider_key: string;
    model_id: string;
    params: string;
    default_params: string;
  }>(
    `SELECT r.config, t.provider_key, t.model_id, t.params, coalesce(m.default_params, '{}') AS default_params
     FROM run r JOIN target t ON t.run_id = r.id LEFT JOIN model m ON m.provider_id = t.provider_id
       AND m.model_id = t.model_id
     WHERE r.id = $1 AND r.team_id = $2 ORDER BY t.ordinal`,
    [runId, teamId],
  );
  const object = (text: string): JsonObject => parseJson(text) as JsonObject;
  return rows.map((row) => ({
    providerKey: row.provider_key,
    modelId: row.model_id,
    params: { ...(object(row.config).params as JsonObject), ...object(row.params) },
    defaultParams: object(row.default_params),
  }));
}

export interface ResultFilter {
  model?: string;
  outcome?: string;
  error_type?: string;
  category?: string;
  passed?: boolean;
  rescore_id?: string;
}

interface Row {
  target: number;
  case_position: number;
  sample: number;
  generation: number;
  seq: number;
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

const columnsOf = (
  results: string,
): string => `SELECT r.*, t.provider_key || '::' || t.model_id AS target_name, c.case_id, c.body
  FROM ${results} r JOIN run ON run.id = r.run_id JOIN target t ON t.run_id = r.run_id AND t.ordinal = r.target
  JOIN suite_version_case c ON c.version_id = run.suite_version_id AND c.position = r.case_position`;

function toResult(row: Row): Result {
  const input = parseCase(row.body);
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

/** A page looks at no more results than this, whatever its filter leaves of them, so that none takes long. */
const MOST_LOOKED_AT = 20_000;

/**
 * Results in the order they were settled, with the verdicts of a rescore if one is named. A page may hold fewer
 * than asked for, or none, where a filter leaves little: the cursor, generation.seq, is where it ended looking.
 */
export async function listResults(
  pool: Pool,
  runId: string,
  { rescore_id: rescoreId, ...filter }: ResultFilter,
  limit: number,
  cursor: string | undefined,
): Promise<Page<Result>> {
  const [generation, seq] = (cursor ?? '0.0').split('.').map(Number);
  const filtered = Object.values(filter).some((value) => value !== undefined);
  const { rows } = await pool.query<Row>(
    `WITH looked_at AS (SELECT * FROM ${resultTable(rescoreId && '$10')} r WHERE r.run_id = $1
      AND (r.generation, r.seq) > ($2, $3) ORDER BY r.generation, r.seq LIMIT $9),
       page AS (SELECT * FROM looked_at r WHERE ($4::text IS NULL OR r.target IN (SELECT ordinal FROM target
         WHERE run_id = $1 AND (provider_key || '::' || model_id = $4 OR model_id = $4)))
         AND ($5::text IS NULL OR r.outcome = $5) AND ($6::text IS NULL OR r.error_type = $6)
           AND ($7::text IS NULL OR r.category = $7) AND ($8::bool IS NULL OR r.passed = $8)
         ORDER BY r.generation, r.seq LIMIT ${limit + 1})
     ${columnsOf('page')} ORDER BY r.generation, r.seq`,
    [
      runId,
      generation,
      seq,
      filter.model ?? null,
      filter.outcome ?? null,
      filter.error_type ?? null,
      filter.category ?? null,
      filter.passed ?? null,
      filtered ? MOST_LOOKED_AT : limit + 1,
      ...(rescoreId ? [rescoreId] : []),
    ],
  );
  const last = rows.length > limit ? rows[limit - 1]! : undefined;
  const items = rows.slice(0, limit).map(toResult);
  if (last || !filtered) return { items, next_cursor: last ? `${last.generation}.${last.seq}` : null };
  const end = await pool.query<{ generation: number; seq: number }>(
    `SELECT generation, seq FROM result WHERE run_id = $1 AND (generation, seq) > ($2, $3)
      ORDER BY generation, seq OFFSET $4 LIMIT 1`,
    [runId, generation, seq, MOST_LOOKED_AT - 1],
  );
  return { items, next_cursor: end.rows[0] ? `${end.rows[0].generation}.${end.rows[0].seq}` : null };
}

/** Beyond what a worker stores: replies of 16 MiB, and their part in a chain's requests. */
const LARGEST_EXCHANGE_BYTES = 64 * 2 ** 20;
/** Requests of a larger one are shown as they are stored. */
const LARGE_EXCHANGE_BYTES = 2 ** 20;
const unpack = promisify(zstdDecompress);

export interface StoredExchange {
  requests: JsonObject[];
  replies: unknown[];
  refused?: number;
  isLarge: boolean;
}

/** One result with its case and what went over the wire. The caller has checked that the run is the team's. */
export async function readResult(
  pool: Pool,
  runId: string,
  resultId: string,
  rescoreId?: string,
): Promise<{
  result: Result;
  input: CaseInput;
  suiteTools: Tool[];
  abstention: boolean;
  exchange: StoredExchange | null;
}> {
  const ids = /^(\d{1,5})-(\d{1,9})-(\d{1,5})$/.exec(resultId)?.slice(1).map(Number);
  const { rows } = ids
    ? await pool.query<Row>(
        `${columnsOf(resultTable(rescoreId && '$5'))} WHERE r.run_id = $1 AND r.target = $2 AND ` +
          'r.case_position = $3 AND r.sample = $4',
        [runId, ...ids, ...(rescoreId ? [rescoreId] : [])],
      )
    : { rows: [] };
  const row = rows[0];
  if (!row) throw notFound('result', resultId);
  const kept = await pool.query<{ body: Buffer | null; tools: string }>(
    `SELECT e.body, v.tools FROM run r JOIN suite_version v ON v.id = r.suite_version_id
     LEFT JOIN exchange e ON e.run_id = r.id AND e.target = $2 AND e.case_position = $3 AND e.sample = $4
       WHERE r.id = $1`,
    [runId, ...ids!],
  );
  const body = kept.rows[0]?.body;
  const text = body?.length ? (await unpack(body, { maxOutputLength: LARGEST_EXCHANGE_BYTES })).toString('utf8') : '';
  const exchange = text ? parseJson(text) : null;
  return {
    result: toResult(row),
    input: parseCase(row.body),
    suiteTools: parseJson(kept.rows[0]?.tools ?? '[]') as unknown as Tool[],
    abstention: row.abstention,
    exchange: isObject(exchange)
      ? { ...(exchange as unknown as StoredExchange), isLarge: text.length > LARGE_EXCHANGE_BYTES }
      : null,
  };
}
