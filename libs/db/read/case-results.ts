import type { CaseInput } from '#lib/contracts/case';
import type { CaseResult } from '#lib/contracts/case-result';
import { notFound } from '#lib/contracts/input/problem';
import type { Page, PageQuery } from '#lib/contracts/page';
import type { Pool } from '../connection/pool.js';
import { TeamScoped } from '../team-isolation.js';
import { USAGE_COLUMNS } from './for-workers/result-table.js';
import { leanResult } from './lean-result.js';
import { parseCase } from './pinned-cases.js';
import { NOTE_COLUMNS, NOTE_TABLES, toResult, type ResultRow } from './result-rows.js';

/** Runs read by one statement, and by one page: with a filter, most of them may have no matching results. */
const RUNS_AT_ONCE = 20;
const MAX_SCANNED_RUNS = 500;
/** A place after the last result of a run. */
const END = { target: 32_767, sample: 32_767 };

interface Place {
  runId: string;
  target: number;
  sample: number;
}
interface RunRow {
  id: string;
  name: string | null;
  created_at: Date;
  suite_version: number;
  version_id: string;
  position: number;
}
type FoundRow = Omit<ResultRow, 'body' | 'case_id' | 'evidence' | 'metrics'>;

/** The cursor: a run, and target and sample of the last result. */
export const CASE_RESULT_CURSOR = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.\d{1,5}\.\d{1,5}$/;

const cursorOf = ({ runId, target, sample }: Place): string => `${runId}.${target}.${sample}`;
function placeOf(cursor: string): Place {
  const [runId, target, sample] = cursor.split('.');
  return { runId: runId!, target: Number(target), sample: Number(sample) };
}

/** The results of single cases in the runs of their suite. */
export class CaseResultRepository extends TeamScoped<Pool> {
  /**
   * Newest run first, within a run by model and sample. A page that has scanned many runs without a result of the model
   * may hold fewer results than requested, even none.
   * @throws ProblemError 404
   */
  async list(
    suiteId: string,
    caseId: string,
    model: string | undefined,
    { limit, cursor }: PageQuery,
  ): Promise<Page<CaseResult>> {
    await requireCase(this.db, this.teamId, suiteId, caseId);
    let after = cursor === undefined ? undefined : placeOf(cursor);
    const items: CaseResult[] = [];
    for (let scanned = 0; scanned < MAX_SCANNED_RUNS; scanned += RUNS_AT_ONCE) {
      const runs = await this.#readRuns(suiteId, caseId, after?.runId);
      if (runs.length === 0) return { items, next_cursor: null };
      const wanted = limit - items.length;
      const found = await this.#readResults(runs, { caseId, model, after, limit: wanted + 1 });
      items.push(...found.slice(0, wanted).map(({ shown }) => shown));
      if (found.length > wanted) return { items, next_cursor: cursorOf(found[wanted - 1]!.place) };
      if (runs.length < RUNS_AT_ONCE) return { items, next_cursor: null };
      after = { runId: runs.at(-1)!.id, ...END };
      if (items.length === limit) break;
    }
    return { items, next_cursor: cursorOf(after!) };
  }

  /** Runs of the suite that took the case, starting at `fromId`. */
  async #readRuns(suiteId: string, caseId: string, fromId: string | undefined): Promise<RunRow[]> {
    const { rows } = await this.db.query<RunRow>(
      `SELECT r.id, r.name, r.created_at, r.suite_version, c.version_id, c.position
       FROM run r JOIN suite_version_case c ON c.version_id = r.suite_version_id AND c.case_id = $3
       WHERE r.suite_id = $1 AND r.team_id = $2 AND r.listed AND ($4::uuid IS NULL OR r.id <= $4)
         AND (cardinality(r.case_positions) = 0 OR c.position = ANY (r.case_positions))
       ORDER BY r.suite_id DESC, r.id DESC LIMIT ${RUNS_AT_ONCE}`,
      [suiteId, this.teamId, caseId, fromId ?? null],
    );
    return rows;
  }

  async #readResults(
    runs: readonly RunRow[],
    { caseId, model, after, limit }: { caseId: string; model?: string; after?: Place; limit: number },
  ): Promise<{ place: Place; shown: CaseResult }[]> {
    const { rows } = await this.db.query<FoundRow>(
      `SELECT found.* FROM unnest($1::uuid[], $2::int[]) WITH ORDINALITY AS run (id, position, n)
       CROSS JOIN LATERAL (
         SELECT ${COLUMNS}, ${NOTE_COLUMNS}, t.provider_key || '::' || t.model_id AS target_name
         FROM target t JOIN result r ON r.run_id = t.run_id AND r.target = t.ordinal AND r.case_position = run.position
           ${NOTE_TABLES}
         WHERE t.run_id = run.id AND ($3::text IS NULL OR provider_key || '::' || model_id = $3 OR model_id = $3)
           AND ($4::uuid IS NULL OR run.id <> $4 OR (r.target, r.sample) > ($5, $6))
         ORDER BY r.target, r.sample LIMIT $7
       ) found ORDER BY run.n, found.target, found.sample LIMIT $7`,
      [
        runs.map(({ id }) => id),
        runs.map(({ position }) => position),
        model ?? null,
        after?.runId ?? null,
        after?.target ?? 0,
        after?.sample ?? 0,
        limit,
      ],
    );
    const byId = new Map(runs.map((run) => [run.id, run]));
    const bodies = await this.#readBodies(
      rows.map((row) => byId.get(row.run_id)!),
      caseId,
    );
    return rows.map((row) => {
      const { id, name, created_at, suite_version, version_id } = byId.get(row.run_id)!;
      const { body, input } = bodies.get(version_id)!;
      const result = toResult({ ...row, case_id: caseId, body, evidence: null, metrics: null }, input);
      return {
        place: { runId: id, target: row.target, sample: row.sample },
        shown: {
          run: { id, name, created_at: created_at.toISOString(), suite_version },
          result: leanResult(result),
        },
      };
    });
  }

  /** The case as these runs had it, by version; equal for all results of one version. */
  async #readBodies(runs: readonly RunRow[], caseId: string): Promise<Map<string, { body: string; input: CaseInput }>> {
    const { rows } = await this.db.query<{ version_id: string; body: string }>(
      'SELECT version_id, body FROM suite_version_case WHERE case_id = $1 AND version_id = ANY ($2)',
      [caseId, [...new Set(runs.map((run) => run.version_id))]],
    );
    return new Map(rows.map(({ version_id, body }) => [version_id, { body, input: parseCase(body) }]));
  }
}

/** Checks that a suite has a case, or had it when a run pinned it. @throws ProblemError 404 */
export async function requireCase(db: Pool, teamId: string, suiteId: string, caseId: string): Promise<void> {
  const { rows } = await db.query<{ known: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM suite_case WHERE id = $2 AND suite_id = s.id)
         OR EXISTS (SELECT 1 FROM suite_version_case c JOIN suite_version v ON v.id = c.version_id
           WHERE c.case_id = $2 AND v.suite_id = s.id) AS known
     FROM suite s WHERE s.id = $1 AND s.team_id = $3`,
    [suiteId, caseId, teamId],
  );
  if (!rows[0]) throw notFound('suite', suiteId);
  if (!rows[0].known) throw notFound('case', caseId);
}

/** The columns of a result, without those that only its own page shows. */
const COLUMNS = `r.run_id, r.target, r.case_position, r.sample, r.generation, r.seq, r.outcome, r.passed, r.tool_score,
  r.param_score, r.overall, r.error_type, r.format_compliance, r.syntax, r.abstention, r.category, r.called,
  r.scoring_version, r.latency_ms, ${USAGE_COLUMNS}, r.cost_usd, r.cost_reported, r.cached, r.attempts,
  r.error_kind, r.error_message, r.tool_choice_used, r.settled_at`;
