import type { Usage } from '#lib/contracts/cost';
import type { ErrorKind, ToolChoice } from '#lib/contracts/run-input';
import { SCORING_VERSION } from '#lib/contracts/values/verdicts';
import type { Verdict } from '#lib/contracts/verdict';
import { BatchColumns } from '../connection/batch-columns.js';
import type { Pool, PoolClient } from '../connection/pool.js';
import type { Delivery } from './dispatch-lane.js';

/** How an item ended: with a verdict, or with an error that left it without one. */
export type Outcome =
  | { outcome: 'scored'; verdict: Verdict; metrics?: Record<string, unknown> }
  | { outcome: 'errored'; error: { kind: ErrorKind; message: string } };

/** The verdict or the error of an item, to be stored once. */
export interface Settlement {
  delivery: Delivery;
  casePosition: number;
  sample: number;
  category: string | null;
  result: Outcome;
  latencyMs: number | null;
  usage: Usage;
  /** Billed cost in US dollars, null when unknown */
  costUsd: number | null;
  cached: boolean;
  attempts: number;
  toolChoiceUsed: ToolChoice | null;
  /** What of it is not counted yet, if that is not all: of a conversation, what came after its last stored round. */
  uncounted?: Pick<Settlement, 'attempts' | 'usage' | 'costUsd'>;
  /** zstd of JSON {requests, replies} */
  exchange: Buffer;
}

/** The settled items of one run in a batch. */
export interface SettledRun {
  items: number;
  /** Whether one of its targets has no item left to settle. */
  ended: boolean;
}

/** The outcome of a batch. */
export interface SettledBatch {
  runs: Map<string, SettledRun>;
  /** Whether each item of the batch was stored, in the batch's order. */
  stored: boolean[];
}

const MAX_INT = 2 ** 31 - 1;
const MAX_SMALLINT = 2 ** 15 - 1;
/** A count that fits its column: these are sums of providers' token counts, and a provider may send any number. */
export const count = (value: number | null, max = MAX_INT): number | null =>
  value === null ? null : Math.min(Math.max(0, Math.round(value)), max);

const MAX_COST_USD = 1e6;
/** A cost that sums can hold: a provider may report any, and a NaN would never leave a sum. */
export const dollars = (value: number | null): number | null =>
  value === null || Number.isNaN(value) ? null : Math.min(Math.max(0, value), MAX_COST_USD);

/** A column's value for a scored item, and its replacement for an errored one. */
const ofScored =
  <Value, Otherwise>(value: (scored: Outcome & { outcome: 'scored' }) => Value, otherwise: Otherwise) =>
  ({ result }: Settlement): Value | Otherwise =>
    result.outcome === 'scored' ? value(result) : otherwise;

const EXCHANGE = { p_exchange: ['bytea', (s: Settlement) => s.exchange] } as const;
const OTHERS: ConstructorParameters<typeof BatchColumns<Settlement>>[0] = {
  p_run: ['uuid', (s) => s.delivery.runId],
  p_target: ['int', (s) => s.delivery.target],
  p_item: ['int', (s) => s.delivery.item],
  p_token: ['bigint', (s) => s.delivery.token],
  p_case: ['int', (s) => s.casePosition],
  p_sample: ['int', (s) => s.sample],
  p_category: ['text', (s) => s.category],
  p_outcome: ['text', (s) => s.result.outcome],
  p_passed: ['bool', ofScored(({ verdict }) => verdict.passed, false)],
  p_tool: ['float8', ofScored(({ verdict }) => verdict.tool_score, null)],
  p_param: ['float8', ofScored(({ verdict }) => verdict.param_score, null)],
  p_overall: ['float8', ofScored(({ verdict }) => verdict.overall, null)],
  p_error_type: ['text', ofScored(({ verdict }) => verdict.error_type, 'errored')],
  p_format: ['text', ofScored(({ verdict }) => verdict.format_compliance, null)],
  p_abstention: ['bool', ofScored(({ verdict }) => verdict.abstention, false)],
  p_called: ['text', ofScored(({ verdict }) => JSON.stringify(verdict.called), '[]')],
  p_evidence: ['text', ofScored(({ verdict }) => JSON.stringify(verdict.evidence), null)],
  p_metrics: ['text', ofScored(({ metrics }) => (metrics ? JSON.stringify(metrics) : null), null)],
  p_latency: ['int', (s) => count(s.latencyMs)],
  p_prompt_tokens: ['int', (s) => count(s.usage.promptTokens)],
  p_completion_tokens: ['int', (s) => count(s.usage.completionTokens)],
  p_cost: ['float8', (s) => dollars(s.costUsd)],
  p_cached: ['bool', (s) => s.cached],
  p_attempts: ['int', (s) => count(s.attempts, MAX_SMALLINT)],
  p_error_kind: ['text', ({ result }) => (result.outcome === 'errored' ? result.error.kind : null)],
  p_error_message: ['text', ({ result }) => (result.outcome === 'errored' ? result.error.message : null)],
  p_tool_choice: ['text', (s) => s.toolChoiceUsed],
  p_syntax: ['text', ofScored(({ verdict }) => verdict.evidence.syntax ?? null, null)],
  p_cache_read: ['int', (s) => count(s.usage.cacheReadTokens)],
  p_cache_write_5m: ['int', (s) => count(s.usage.cacheWrite5mTokens)],
  p_cache_write_1h: ['int', (s) => count(s.usage.cacheWrite1hTokens)],
  p_reasoning: ['int', (s) => count(s.usage.reasoningTokens)],
  p_cost_reported: ['bool', (s) => s.usage.reportedCostUsd !== null && s.attempts > 0],
};
const uncounted = (s: Settlement) => s.uncounted ?? s;
const UNCOUNTED = new BatchColumns<Settlement>({
  p_new_attempts: ['int', (s) => count(uncounted(s).attempts, MAX_SMALLINT)],
  p_new_prompt_tokens: ['int', (s) => count(uncounted(s).usage.promptTokens)],
  p_new_completion_tokens: ['int', (s) => count(uncounted(s).usage.completionTokens)],
  p_new_cache_read: ['int', (s) => count(uncounted(s).usage.cacheReadTokens)],
  p_new_cache_write_5m: ['int', (s) => count(uncounted(s).usage.cacheWrite5mTokens)],
  p_new_cache_write_1h: ['int', (s) => count(uncounted(s).usage.cacheWrite1hTokens)],
  p_new_reasoning: ['int', (s) => count(uncounted(s).usage.reasoningTokens)],
  p_new_cost: ['float8', (s) => dollars(uncounted(s).costUsd)],
});
const COLUMNS = new BatchColumns<Settlement>({ ...OTHERS, ...EXCHANGE });
const OTHER_COLUMNS = new BatchColumns<Settlement>(OTHERS);

/**
 * Bytes in an array are sent to Postgres as text of twice their length, which is built here. Larger ones are sent
 * separately.
 */
const MAX_LISTED_BYTES = 64 * 1024;

/** The arguments of `settle_items`, and their values from $2 on. */
function argumentsOf(batch: readonly Settlement[]): { name?: string; arguments: string; values: unknown[] } {
  if (batch.every(({ exchange }) => exchange.length <= MAX_LISTED_BYTES))
    return { name: 'settle_items', arguments: COLUMNS.namedArguments(2), values: COLUMNS.values(batch) };
  const others = OTHER_COLUMNS.values(batch);
  const exchanges = batch.map((_settlement, index) => `$${2 + others.length + index}::bytea`);
  return {
    arguments: `${OTHER_COLUMNS.namedArguments(2)}, p_exchange => ARRAY[${exchanges.join(', ')}]`,
    values: [...others, ...batch.map(({ exchange }) => exchange)],
  };
}

/** Adds what is not counted yet, where that is not all of each. */
function withUncounted(
  { name, arguments: given, values }: ReturnType<typeof argumentsOf>,
  batch: readonly Settlement[],
): ReturnType<typeof argumentsOf> {
  if (batch.every((one) => !one.uncounted)) return { ...(name !== undefined && { name }), arguments: given, values };
  return {
    ...(name !== undefined && { name: `${name}_of_conversations` }),
    arguments: `${given}, ${UNCOUNTED.namedArguments(2 + values.length)}`,
    values: [...values, ...UNCOUNTED.values(batch)],
  };
}

/**
 * Settles items that ended within a few milliseconds, in one statement and one commit: each item once, and only if its
 * delivery still holds it (`prisma/functions/settle-items.sql`). A late reply (after a cancel, a takeover, a resume)
 * changes nothing.
 */
export async function settleItems(pool: Pool | PoolClient, batch: readonly Settlement[]): Promise<SettledBatch> {
  const { name, arguments: given, values } = withUncounted(argumentsOf(batch), batch);
  const { rows } = await pool.query<{ run_id: string; settled: number; ended: boolean; stored: number[] }>({
    name,
    text: `SELECT run_id, settled, ended, stored FROM settle_items(p_version => $1::int, ${given})`,
    values: [SCORING_VERSION, ...values],
  });
  const storedNumbers = new Set(rows.flatMap((row) => row.stored)); // from 1
  return {
    runs: new Map(rows.map(({ run_id, settled: items, ended }) => [run_id, { items, ended }])),
    stored: batch.map((_settlement, index) => storedNumbers.has(index + 1)),
  };
}
