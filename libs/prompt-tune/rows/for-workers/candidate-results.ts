import type { Evidence, ParsedCall } from '#lib/contracts/verdict';
import type { Pool, PoolClient } from '#lib/db/connection/pool';
import { jsonColumn } from '#lib/db/connection/json-column';

/** A meta model's reply. */
export interface MetaReply {
  runId: string;
  /** Null when they are too long to read. */
  called: ParsedCall[] | null;
  /** The error type of its verdict. */
  errorType: string;
  /** Why there is no reply; null when there is one. */
  error: string | null;
}

/** The largest calls of a meta model that are read, as JSON: a model may call a tool with 16 MiB of arguments. */
export const MAX_META_REPLY_BYTES = 2 ** 20;

/** The replies of runs with one item each. */
export async function readMetaReplies(
  db: Pool | PoolClient,
  runIds: readonly string[],
): Promise<Map<string, MetaReply>> {
  type Row = { runId: string; outcome: string; called: string | null; errorType: string; error: string | null };
  const { rows } = await db.query<Row>(
    `SELECT run_id AS "runId", outcome, CASE WHEN octet_length(called) <= $2 THEN called END AS called,
       error_type AS "errorType", error_message AS error
     FROM result WHERE run_id = ANY ($1)`,
    [runIds, MAX_META_REPLY_BYTES],
  );
  return new Map(
    rows.map(({ runId, outcome, called, errorType, error }) => [
      runId,
      {
        runId,
        called: called === null ? null : jsonColumn<ParsedCall[]>(called),
        errorType,
        error: outcome === 'scored' ? null : (error ?? 'it did not reply'),
      },
    ]),
  );
}

/** The fields of a scored result that explain what was wrong. */
export interface Trace {
  position: number;
  overall: number;
  errorType: string;
  formatCompliance: string | null;
  abstention: boolean;
  /** Null when they are too long to read. */
  called: ParsedCall[] | null;
  /** Null also when it is too long, or the calls are. */
  evidence: Evidence | null;
}

/** The largest calls and evidence of a result that are read, as JSON. Many results are in memory at once. */
const MAX_TRACE_BYTES = 2 ** 16;

/** The worst result of each case in these runs. */
export async function readWorstResults(
  db: Pool | PoolClient,
  runIds: readonly string[],
  positions: readonly number[],
): Promise<Trace[]> {
  type Row = Omit<Trace, 'called' | 'evidence'> & { called: string | null; evidence: string | null };
  const { rows } = await db.query<Row>(
    `SELECT DISTINCT ON (case_position) case_position AS position, overall, error_type AS "errorType",
       format_compliance AS "formatCompliance", abstention,
       CASE WHEN octet_length(called) <= $3 THEN called END AS called,
       CASE WHEN octet_length(called) <= $3 AND octet_length(evidence) <= $3 THEN evidence END AS evidence
     FROM result WHERE run_id = ANY ($1) AND case_position = ANY ($2) AND outcome = 'scored'
     ORDER BY case_position, overall, run_id, target, sample`,
    [runIds, positions, MAX_TRACE_BYTES],
  );
  return rows.map(({ called, evidence, ...row }) => ({
    ...row,
    called: called === null ? null : jsonColumn<ParsedCall[]>(called),
    evidence: evidence === null ? null : jsonColumn<Evidence>(evidence),
  }));
}
