import type { ErrorKind, ToolChoice } from '#lib/contracts/run';
import { SCORING_VERSION, type Verdict } from '#lib/contracts/verdict';
import type { Delivery } from './dispatch-lane.js';
import type { Pool } from '../connection/pool.js';

/** How an item ended: with a verdict, or with an error that left it without one. */
export type Outcome =
  | { outcome: 'scored'; verdict: Verdict; metrics?: Record<string, unknown> }
  | { outcome: 'errored'; error: { kind: ErrorKind; message: string } };

export interface Settlement {
  delivery: Delivery;
  casePosition: number;
  sample: number;
  category: string | null;
  result: Outcome;
  latencyMs: number | null;
  promptTokens: number | null;
  completionTokens: number | null;
  costUsd: number | null;
  cached: boolean;
  attempts: number;
  toolChoiceUsed: ToolChoice | null;
  /** zstd of JSON {requests, replies} */
  exchange: Buffer;
}

/** What became of the items of one run in a batch. */
export interface SettledRun {
  items: number;
  /** Whether a target of it has nothing left to settle. */
  ended: boolean;
}

/** What Postgres holds in a count. Providers' counts are sums by now, and may say anything. */
const LARGEST_COUNT = 2 ** 31 - 1;
const LARGEST_ATTEMPTS = 2 ** 15 - 1;
const count = (value: number | null, largest = LARGEST_COUNT): number | null =>
  value === null ? null : Math.min(Math.max(0, Math.round(value)), largest);

/** What became of a batch. */
export interface SettledBatch {
  runs: Map<string, SettledRun>;
  /** Which of its items were stored, in its order. */
  stored: boolean[];
}

/**
 * Settles items that ended within a few milliseconds, in one statement and one commit (`settle_items` in the
 * migrations): only those whose delivery still holds them, each once. A late reply (after a cancel, a takeover, a
 * resume) changes nothing.
 */
export async function settleItems(pool: Pool, batch: readonly Settlement[]): Promise<SettledBatch> {
  const of = <Value>(column: (settlement: Settlement) => Value): Value[] => batch.map(column);
  const verdict = <Value>(column: (verdict: Verdict) => Value) =>
    batch.map(({ result }) => (result.outcome === 'scored' ? column(result.verdict) : null));
  const { rows } = await pool.query<{ run_id: string; settled: number; ended: boolean; stored: number[] }>({
    name: 'settle_items',
    text: `SELECT run_id, settled, ended, stored
      FROM settle_items($1::uuid[], $2::int[], $3::int[], $4::bigint[], $5::int[], $6::int[], $7::text[],
      $8::text[], $9::bool[], $10::float8[], $11::float8[], $12::float8[], $13::text[], $14::text[], $15::bool[],
        $16::text[], $17::text[],
      $18::text[], $19::int, $20::int[], $21::int[], $22::int[], $23::float8[], $24::bool[], $25::int[],
        $26::text[], $27::text[],
      $28::text[], $29::bytea[])`,
    values: [
      of((s) => s.delivery.runId),
      of((s) => s.delivery.target),
      of((s) => s.delivery.item),
      of((s) => s.delivery.token),
      of((s) => s.casePosition),
      of((s) => s.sample),
      of((s) => s.category),
      of((s) => s.result.outcome),
      of((s) => s.result.outcome === 'scored' && s.result.verdict.passed),
      verdict((v) => v.tool_score),
      verdict((v) => v.param_score),
      verdict((v) => v.overall),
      of((s) => (s.result.outcome === 'scored' ? s.result.verdict.error_type : 'errored')),
      verdict((v) => v.format_compliance),
      of((s) => s.result.outcome === 'scored' && s.result.verdict.abstention),
      of((s) => (s.result.outcome === 'scored' ? JSON.stringify(s.result.verdict.called) : '[]')),
      verdict((v) => JSON.stringify(v.evidence)),
      of((s) => (s.result.outcome === 'scored' && s.result.metrics ? JSON.stringify(s.result.metrics) : null)),
      SCORING_VERSION,
      of((s) => count(s.latencyMs)),
      of((s) => count(s.promptTokens)),
      of((s) => count(s.completionTokens)),
      of((s) => s.costUsd),
      of((s) => s.cached),
      of((s) => count(s.attempts, LARGEST_ATTEMPTS)),
      of((s) => (s.result.outcome === 'errored' ? s.result.error.kind : null)),
      of((s) => (s.result.outcome === 'errored' ? s.result.error.message : null)),
      of((s) => s.toolChoiceUsed),
      of((s) => s.exchange),
    ],
  });
  const numbers = new Set(rows.flatMap((row) => row.stored)); // from 1
  return {
    runs: new Map(rows.map(({ run_id, settled: items, ended }) => [run_id, { items, ended }])),
    stored: batch.map((_settlement, index) => numbers.has(index + 1)),
  };
}
