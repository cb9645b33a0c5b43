import { parseJson } from '#lib/contracts/json/json';
import type { Evidence, ParsedCall } from '#lib/contracts/verdict';
import type { Pool, PoolClient } from '../../connection/pool.js';
import type { CaseMeans } from './trial-results.js';

/**
 * What runs scored, case by case: the mean over their targets of the mean over the scored samples. A case that a target
 * has no score of is left out.
 */
export async function readMeansOverTargets(
  db: Pool | PoolClient,
  runIds: readonly string[],
  measure: 'overall' | 'passed',
): Promise<Map<string, CaseMeans>> {
  const { rows } = await db.query<{ id: string; positions: string; means: string }>(
    `SELECT run_id AS id, string_agg(case_position::text, ' ') AS positions, string_agg(mean::text, ' ') AS means
     FROM (
       SELECT run_id, case_position, avg(mean) AS mean FROM (
         SELECT run_id, case_position, target,
           avg(${measure === 'overall' ? 'overall' : 'passed::int::float8'}) AS mean
         FROM result WHERE run_id = ANY ($1) AND outcome = 'scored' GROUP BY run_id, case_position, target
       ) one_target
       GROUP BY run_id, case_position
       HAVING count(mean) = (SELECT count(*) FROM target t WHERE t.run_id = one_target.run_id)
     ) one_case GROUP BY run_id`,
    [runIds],
  );
  const numbers = (text: string): number[] => text.split(' ').map(Number);
  return new Map(
    rows.map(({ id, positions, means }) => {
      const values = numbers(means);
      return [id, new Map(numbers(positions).map((position, n) => [position, values[n]!]))];
    }),
  );
}

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
