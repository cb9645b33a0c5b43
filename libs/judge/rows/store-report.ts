import type { CaseInput } from '#lib/contracts/case';
import { newId } from '#lib/runtime/ids';
import { BatchColumns } from '#lib/db/connection/batch-columns';
import { insertRow } from '#lib/db/connection/insert-row';
import { inTransaction, type Pool, type PoolClient } from '#lib/db/connection/pool';
import { submitOrchestration } from '#lib/db/engine/orchestrations';
import type { JudgeReport } from '../contract.js';
import type { ChosenResult } from './for-workers/judged-results.js';
import type { StoredReport } from './judge-reports.js';

/** The steps of a report: choose and judge results in batches, then summarise the judgements. */
export type JudgeStep = 'judge' | 'summarise';

export interface NewReport extends StoredReport {
  teamId: string;
  userId: string;
  tokenId: string | null;
  runId: string;
  baselineId: string | null;
  source: JudgeReport['source'];
  /** The run that requests it automatically, once. */
  askedBy?: string;
  /** The first report of the series that it repeats. */
  rootId?: string;
  experimentId: string | null;
  /** How many requests it plans; 0 when unknown. */
  planned: number;
}

/**
 * Stores a report and its job.
 * @returns undefined when the run has already requested one
 */
export async function submitReport(
  db: Pool | PoolClient,
  { teamId, userId, tokenId, experimentId, planned, ...report }: NewReport,
): Promise<{ id: string; jobId: string } | undefined> {
  return inTransaction(db, async (client) => {
    const { asked, judge, askedBy = null } = report;
    if (askedBy !== null) {
      const before = await client.query('SELECT 1 FROM judge_report WHERE asked_by = $1', [askedBy]);
      if (before.rowCount) return undefined;
    }
    const submitted = await submitOrchestration(client, {
      teamId,
      userId,
      tokenId,
      type: 'judge',
      experimentId,
      step: 'judge' satisfies JudgeStep,
      input: { asked, judge } satisfies StoredReport,
      total: planned,
      maxRequests: asked.budget?.max_requests ?? null,
      maxCostUsd: asked.budget?.max_cost_usd ?? null,
    });
    const root = report.rootId ?? submitted.id;
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`reports of ${root}`]);
    const { rows } = await client.query<{ version: number }>(
      'SELECT coalesce(max(version), 0)::int + 1 AS version FROM judge_report WHERE root_id = $1',
      [root],
    );
    await insertRow(client, 'judge_report', {
      id: submitted.id,
      team_id: teamId,
      root_id: root,
      version: rows[0]!.version,
      run_id: report.runId,
      baseline_id: report.baselineId,
      judge,
      source: report.source,
      asked_by: askedBy,
    });
    return submitted;
  });
}

const CHOSEN = new BatchColumns<ChosenResult & { position: number }>({
  position: ['int', (row) => row.position],
  run_id: ['uuid', (row) => row.runId],
  target: ['smallint', (row) => row.target],
  case_position: ['int', (row) => row.casePosition],
  sample: ['smallint', (row) => row.sample],
  passed: ['boolean', (row) => row.passed],
  other_target: ['smallint', (row) => row.otherTarget],
  other_case_position: ['int', (row) => row.otherCasePosition],
  other_sample: ['smallint', (row) => row.otherSample],
});

/**
 * Appends results to a report.
 * @param next the position of the first
 */
export async function storeChosen(
  client: PoolClient,
  reportId: string,
  chosen: readonly ChosenResult[],
  next: number,
): Promise<void> {
  if (chosen.length === 0) return;
  await client.query(
    `INSERT INTO judgement (report_id, ${CHOSEN.names}) SELECT $1, ${CHOSEN.names} FROM ${CHOSEN.unnest(2)}`,
    [reportId, ...CHOSEN.values(chosen.map((row, index) => ({ ...row, position: next + index })))],
  );
}

/** Stores the fingerprint that assigns human labels to the judge of a report. */
export async function storeFingerprint(client: PoolClient, reportId: string, fingerprint: string): Promise<void> {
  await client.query('UPDATE judge_report SET fingerprint = $2 WHERE id = $1', [reportId, fingerprint]);
}

/**
 * Stores how far results were chosen.
 * @param choosing false once there is nothing left to choose
 */
export async function storeChoice(
  client: PoolClient,
  reportId: string,
  { choosing, seenSeq }: { choosing: boolean; seenSeq: number },
): Promise<void> {
  await client.query('UPDATE judge_report SET choosing = $2, seen_seq = $3 WHERE id = $1', [
    reportId,
    choosing,
    seenSeq,
  ]);
}

/** A request to the judge, stored as a case of the version with the report's id. */
export interface JudgeRequest {
  position: number;
  input: CaseInput;
}

const REQUESTS = new BatchColumns<JudgeRequest>({
  position: ['int', ({ position }) => position],
  case_id: ['uuid', () => newId()],
  category: ['text', ({ input }) => input.expected_tool],
  body: ['text', ({ input }) => JSON.stringify(input)],
});

/** Stores requests before the run that makes them; existing ones are kept. */
export async function storeRequests(
  client: PoolClient,
  reportId: string,
  requests: readonly JudgeRequest[],
): Promise<void> {
  if (requests.length === 0) return;
  await client.query(
    `INSERT INTO suite_version (id, suite_id, version, name, description, system_prompt, tools, pass_threshold)
     VALUES ($1, $1, 1, 'Requests to a judge', '', NULL, '[]', 1) ON CONFLICT DO NOTHING`,
    [reportId],
  );
  await client.query(
    `WITH stored AS (
       INSERT INTO suite_version_case (version_id, tags, ${REQUESTS.names})
       SELECT $1, '{}', ${REQUESTS.names} FROM ${REQUESTS.unnest(2)} ON CONFLICT DO NOTHING RETURNING body
     )
     UPDATE suite_version SET bytes = bytes + (SELECT coalesce(sum(octet_length(body)), 0) FROM stored) WHERE id = $1`,
    [reportId, ...REQUESTS.values(requests)],
  );
}

/** What is known of requested judgements. */
export interface AskedJudgement {
  position: number;
  suspicious: boolean;
}

/** Marks judgements as requested. */
export async function markAsked(client: PoolClient, reportId: string, asked: readonly AskedJudgement[]): Promise<void> {
  await client.query(
    `UPDATE judgement j SET state = 'asked', suspicious = u.suspicious
     FROM unnest($2::int[], $3::boolean[]) AS u (position, suspicious)
     WHERE j.report_id = $1 AND j.position = u.position`,
    [reportId, asked.map(({ position }) => position), asked.map(({ suspicious }) => suspicious)],
  );
}

/** A judgement after parsing. */
export interface ReadJudgement {
  position: number;
  state: 'judged' | 'errored';
  verdict: string | null;
  agreement: string | null;
  expectationAtFault: boolean;
  flipped: boolean;
  /** The other fields of the judge's reply. */
  said: object | null;
  error: string | null;
  promptTokens: number | null;
  completionTokens: number | null;
  costUsd: number | null;
}

const READ = new BatchColumns<ReadJudgement>({
  position: ['int', (row) => row.position],
  state: ['text', (row) => row.state],
  verdict: ['text', (row) => row.verdict],
  agreement: ['text', (row) => row.agreement],
  expectation_at_fault: ['boolean', (row) => row.expectationAtFault],
  flipped: ['boolean', (row) => row.flipped],
  said: ['text', (row) => row.said && JSON.stringify(row.said)],
  error: ['text', (row) => row.error],
  prompt_tokens: ['int', (row) => row.promptTokens],
  completion_tokens: ['int', (row) => row.completionTokens],
  cost_usd: ['float8', (row) => row.costUsd],
});

export async function storeJudgements(
  client: PoolClient,
  reportId: string,
  read: readonly ReadJudgement[],
): Promise<void> {
  if (read.length === 0) return;
  const columns = READ.names.split(', ').slice(1);
  await client.query(
    `UPDATE judgement j SET ${columns.map((name) => `${name} = u.${name}`).join(', ')}
     FROM ${READ.unnest(2)} WHERE j.report_id = $1 AND j.position = u.position`,
    [reportId, ...READ.values(read)],
  );
}
