import { parseJson } from '#lib/contracts/json/json';
import type { Evidence, ParsedCall } from '#lib/contracts/verdict';
import type { Pool, PoolClient } from '../../connection/pool.js';

/** What a meta model replied. */
export interface MetaReply {
  runId: string;
  called: ParsedCall[];
  /** Why there is no reply; null when there is one. */
  error: string | null;
}

/** The replies of runs with one item each. */
export async function readMetaReplies(
  db: Pool | PoolClient,
  runIds: readonly string[],
): Promise<Map<string, MetaReply>> {
  const { rows } = await db.query<{ runId: string; outcome: string; called: string; error: string | null }>(
    `SELECT run_id AS "runId", outcome, called, error_message AS error FROM result WHERE run_id = ANY ($1)`,
    [runIds],
  );
  return new Map(
    rows.map(({ runId, outcome, called, error }) => [
      runId,
      {
        runId,
        called: parseJson(called) as unknown as ParsedCall[],
        error: outcome === 'scored' ? null : (error ?? 'it gave no reply'),
      },
    ]),
  );
}

/** A scored result, as much of it as says what was wrong. */
export interface Trace {
  position: number;
  overall: number;
  errorType: string;
  formatCompliance: string | null;
  abstention: boolean;
  called: ParsedCall[];
  evidence: Evidence | null;
}

/** Of each case the worst result in these runs. */
export async function readWorstResults(
  db: Pool | PoolClient,
  runIds: readonly string[],
  positions: readonly number[],
): Promise<Trace[]> {
  const { rows } = await db.query<Omit<Trace, 'called' | 'evidence'> & { called: string; evidence: string | null }>(
    `SELECT DISTINCT ON (case_position) case_position AS position, overall, error_type AS "errorType",
       format_compliance AS "formatCompliance", abstention, called, evidence
     FROM result WHERE run_id = ANY ($1) AND case_position = ANY ($2) AND outcome = 'scored'
     ORDER BY case_position, overall, run_id, target, sample`,
    [runIds, positions],
  );
  return rows.map(({ called, evidence, ...row }) => ({
    ...row,
    called: parseJson(called) as unknown as ParsedCall[],
    evidence: evidence === null ? null : (parseJson(evidence) as unknown as Evidence),
  }));
}
