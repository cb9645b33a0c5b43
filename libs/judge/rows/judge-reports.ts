import { noted, readNotes, type Note } from '#lib/contracts/note';
import { notFound } from '#lib/contracts/input/problem';
import type { LabelName } from '#lib/contracts/label';
import type { JobStatus } from '#lib/contracts/job-status';
import type { Page } from '#lib/contracts/page';
import type { Reader } from '#lib/db/catalogue/marks';
import { isParentWithin } from '#lib/db/catalogue/named-suites';
import { pageOf, toPage } from '#lib/db/catalogue/page';
import type { Pool, PoolClient } from '#lib/db/connection/pool';
import { jsonColumn } from '#lib/db/connection/json-column';
import { TeamScoped } from '#lib/db/team-isolation';
import {
  type CalibrationHead,
  type Judged,
  type Judgement,
  type JudgeInput,
  type JudgeReport,
  type ReportFigures,
} from '../contract.js';
import { type JudgementsQuery, type ReportsQuery } from '../queries.js';
import { LABEL_OF, TELLS } from './labelled.js';

/** The request of a report, as stored in its orchestration. */
export interface StoredReport {
  asked: JudgeInput;
  /** provider_key::model_id */
  judge: string;
}

type ReportSummary = Pick<JudgeReport, 'strengths' | 'weaknesses' | 'recommendations'>;

/** What the steps of a report have found; empty at first. */
export interface JudgeState {
  /** Whether its start was announced. */
  told?: boolean;
  /** How many batches were requested. */
  pieces?: number;
  /** Requests of the current batch that were repeated. */
  again?: number[];
  /** The job of the last step: a different one means a resume. */
  jobId?: string;
  notes?: string[];
  noteDetails?: Note[];
  selfJudged?: boolean;
  /** Set once every judgement is there. */
  figures?: ReportFigures;
  summary?: ReportSummary;
}

/** All judgements of a report, without their texts: up to 20,000. */
export async function readJudgedRows(db: Pool | PoolClient, reportId: string): Promise<Judged[]> {
  const { rows } = await db.query<Judged>(
    `SELECT t.provider_key || '::' || t.model_id AS target, o.provider_key || '::' || o.model_id AS other,
       j.case_position AS "casePosition", j.state, j.verdict, j.passed, j.agreement,
       j.expectation_at_fault AS "expectationAtFault", j.suspicious, j.flipped
     FROM judge_report p JOIN judgement j ON j.report_id = p.id
       JOIN target t ON t.run_id = j.run_id AND t.ordinal = j.target
       LEFT JOIN target o ON o.run_id = p.baseline_id AND o.ordinal = j.other_target
     WHERE p.id = $1 ORDER BY j.target, j.other_target, j.position`,
    [reportId],
  );
  return rows;
}

/** A report as it is stored; the API adds the calibration of its judge. */
export interface ReportRow extends Omit<JudgeReport, 'calibration' | keyof ReportFigures> {
  fingerprint: string;
  /** Undefined until it has ended. */
  figures: ReportFigures | undefined;
  counts: { items: number; judged: number; errored: number };
}

interface Row {
  id: string;
  root_id: string;
  version: number;
  job_id: string;
  status: JobStatus;
  error: string | null;
  detail: string | null;
  run_id: string;
  baseline_id: string | null;
  experiment_id: string | null;
  judge: string;
  fingerprint: string;
  source: JudgeReport['source'];
  input: string;
  state: string;
  items: number;
  judged: number;
  errored: number;
  priced: boolean;
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  cost_usd: number | null;
  created_at: Date;
  finished_at: Date | null;
}

const SELECT = `
  SELECT p.id, p.root_id, p.version, o.job_id, j.status, j.error, j.detail, p.run_id, p.baseline_id, o.experiment_id,
    p.judge, p.fingerprint, p.source, o.input, o.state, o.created_at, j.finished_at, counts.*, spent.*
  FROM judge_report p JOIN orchestration o ON o.id = p.id JOIN job j ON j.id = o.job_id
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS items, (count(*) FILTER (WHERE state = 'judged'))::int AS judged,
        (count(*) FILTER (WHERE state = 'errored'))::int AS errored, 
        count(cost_usd) > 0 AND count(*) FILTER (WHERE state = 'judged' AND cost_usd IS NULL) = 0 AS priced,
        coalesce(sum(prompt_tokens), 0)::int AS prompt_tokens,
        coalesce(sum(completion_tokens), 0)::int AS completion_tokens
      FROM judgement WHERE report_id = p.id
    ) counts
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(t.requests), 0)::int AS requests, sum(t.cost_usd) AS cost_usd
      FROM run r JOIN target t ON t.run_id = r.id WHERE r.orchestration_id = p.id
    ) spent
  WHERE p.team_id = $1`;

/** A report on an unfinished run waits until there are several more results, to avoid one run per result. */
export const WAITS_FOR_RESULTS = `
  SELECT 1 FROM judge_report p JOIN run w ON w.id = p.run_id JOIN job wj ON wj.id = w.job_id
  WHERE p.id = o.id AND p.choosing AND w.status IN ('pending', 'queued', 'running') AND wj.last_seq < p.seen_seq + 20
    AND NOT EXISTS (SELECT 1 FROM judgement g WHERE g.report_id = p.id AND g.state IN ('waiting', 'asked'))`;

/** A page of a list, and the suites that its reader's token is limited to; null for all. */
export type ReportsPage = ReportsQuery & Pick<Reader, 'suiteIds'>;

/** The judge reports of a team. */
export class JudgeReportRepository extends TeamScoped {
  /** Newest first. */
  async list({ limit, cursor, eval_id: runId, suiteIds }: ReportsPage): Promise<Page<ReportRow>> {
    const { rows } = await this.db.query<Row>(
      `${SELECT} AND ($2::uuid IS NULL OR p.id < $2) AND ($3::uuid IS NULL OR p.run_id = $3 OR p.baseline_id = $3)
         AND ${isParentWithin('$5')}
       ORDER BY p.id DESC LIMIT $4`,
      [this.teamId, cursor ?? null, runId ?? null, limit + 1, suiteIds],
    );
    return toPage(rows.map(toReport), limit);
  }

  /** @throws ProblemError 404 */
  async read(id: string): Promise<ReportRow> {
    const { rows } = await this.db.query<Row>(`${SELECT} AND p.id = $2`, [this.teamId, id]);
    if (!rows[0]) throw notFound('report', id);
    return toReport(rows[0]);
  }

  /** The reports of an experiment that have ended, by the time they ended, then by id. */
  async listEnded(
    experimentId: string,
    { limit, after }: { limit: number; after: { endedAtMs: number; id: string } | undefined },
  ): Promise<ReportRow[]> {
    const { rows } = await this.db.query<Row>(
      `${SELECT} AND o.experiment_id = $2 AND j.finished_at IS NOT NULL
         AND ($3::timestamptz IS NULL OR (j.finished_at, o.id) > ($3, $4::uuid))
       ORDER BY j.finished_at, o.id LIMIT $5`,
      [this.teamId, experimentId, after ? new Date(after.endedAtMs) : null, after?.id ?? null, limit],
    );
    return rows.map(toReport);
  }

  /** @throws ProblemError 404 for an unknown report */
  async judgements(id: string, { limit, cursor, ...filter }: JudgementsQuery): Promise<Page<Judgement>> {
    await this.#check(id);
    const { rows } = await this.db.query<JudgementRow>(
      `SELECT j.*, p.run_id AS eval_id, t.provider_key || '::' || t.model_id AS target_name, c.case_id,
         people.label, c.body::json ->> 'name' AS case_name, left(${PROMPT}, 200) AS prompt
       FROM judge_report p JOIN judgement j ON j.report_id = p.id JOIN run r ON r.id = j.run_id
         JOIN target t ON t.run_id = j.run_id AND t.ordinal = j.target
         JOIN suite_version_case c ON c.version_id = r.suite_version_id AND c.position = j.case_position
         LEFT JOIN LATERAL ${LABEL_OF('j', 'p.team_id')} people ON true
       WHERE p.id = $1 AND j.position > $2
         AND ($3::text IS NULL OR t.provider_key || '::' || t.model_id = $3)
         AND ($4::text IS NULL OR j.verdict = $4) AND ($5::text IS NULL OR j.agreement = $5)
         AND ($6::boolean IS NULL OR j.expectation_at_fault = $6) AND ($7::boolean IS NULL OR j.suspicious = $7)
         AND ($8::text IS NULL OR CASE j.state WHEN 'asked' THEN 'waiting' ELSE j.state END = $8)
         AND ($9::text IS NULL OR j.target || '-' || j.case_position || '-' || j.sample = $9)
         AND (NOT $10 OR ${TELLS('j')} AND (j.verdict = 'wrong') <> (people.label = 'wrong'))
       ORDER BY j.position LIMIT $11`,
      [
        id,
        cursor === undefined ? -1 : Number(cursor),
        filter.target ?? null,
        filter.verdict ?? filter.preference ?? null,
        filter.agreement ?? null,
        filter.expectation_at_fault ?? null,
        filter.suspicious ?? null,
        filter.state ?? null,
        filter.result_id ?? null,
        filter.disputed,
        limit + 1,
      ],
    );
    return pageOf(rows, limit, toJudgement, ({ position }) => String(position));
  }

  async #check(id: string): Promise<void> {
    const { rowCount } = await this.db.query('SELECT 1 FROM judge_report WHERE team_id = $1 AND id = $2', [
      this.teamId,
      id,
    ]);
    if (!rowCount) throw notFound('report', id);
  }
}

/** The question of a case: its prompt, or the last user message of its conversation. */
const PROMPT = `coalesce(c.body::json ->> 'prompt', (
  SELECT m ->> 'content' FROM json_array_elements(c.body::json -> 'messages') WITH ORDINALITY AS said (m, n)
  WHERE m ->> 'role' = 'user' ORDER BY n DESC LIMIT 1
), '')`;

function toReport(row: Row): ReportRow {
  const { asked } = jsonColumn<StoredReport>(row.input);
  const state = jsonColumn<JudgeState>(row.state);
  const { strengths = [], weaknesses = [], recommendations = [] } = state.summary ?? {};
  return {
    id: row.id,
    root_id: row.root_id,
    version: row.version,
    job_id: row.job_id,
    status: row.status,
    error: row.error ?? (row.status === 'budget_exceeded' ? row.detail : null),
    eval_id: row.run_id,
    baseline_eval_id: row.baseline_id,
    experiment_id: row.experiment_id,
    judge: row.judge,
    source: row.source,
    self_judged: state.selfJudged ?? false,
    input: asked,
    fingerprint: row.fingerprint,
    figures: state.figures,
    counts: { items: row.items, judged: row.judged, errored: row.errored },
    strengths,
    weaknesses,
    recommendations,
    usage: {
      requests: row.requests,
      prompt_tokens: row.prompt_tokens,
      completion_tokens: row.completion_tokens,
    },
    cost_usd: row.priced ? row.cost_usd : null,
    ...noted(readNotes(state)),
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

const NO_FIGURES = { share_ok: null, share_ok_ci: null, kappa: null, kappa_ci: null, targets: [], pairs: [] };

/** @param figures the current ones while it has not ended */
export const asReport = (
  { fingerprint: _fingerprint, figures: stored, counts, ...row }: ReportRow,
  calibration: CalibrationHead,
  figures: ReportFigures | undefined = stored,
): JudgeReport => ({ ...row, ...(figures ?? { ...NO_FIGURES, ...counts }), calibration });

interface JudgementRow {
  position: number;
  eval_id: string;
  target: number;
  case_position: number;
  sample: number;
  other_target: number | null;
  other_case_position: number | null;
  other_sample: number | null;
  passed: boolean;
  state: string;
  suspicious: boolean;
  verdict: string | null;
  agreement: Judgement['agreement'];
  flipped: boolean;
  said: string | null;
  error: string | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  cost_usd: number | null;
  target_name: string;
  case_id: string;
  case_name: string | null;
  label: LabelName | null;
  prompt: string;
}

/** The JSON part of a stored judgement. */
export interface StoredReasons {
  judged: Judgement['judged'];
  reasons: string[];
  votes: Record<string, number>;
}

function toJudgement(row: JudgementRow): Judgement {
  const said = row.said === null ? null : (JSON.parse(row.said) as StoredReasons);
  const isComparison = row.other_target !== null;
  return {
    position: row.position,
    eval_id: row.eval_id,
    result_id: `${row.target}-${row.case_position}-${row.sample}`,
    other_result_id: isComparison ? `${row.other_target}-${row.other_case_position}-${row.other_sample}` : null,
    target: row.target_name,
    case_id: row.case_id,
    case_name: row.case_name,
    prompt: row.prompt,
    passed: row.passed,
    state: row.state === 'asked' ? 'waiting' : (row.state as Judgement['state']),
    judged: said?.judged ?? null,
    preference: isComparison ? (row.verdict as Judgement['preference']) : null,
    flipped: row.flipped,
    reasons: said?.reasons ?? [],
    agreement: row.agreement,
    label: row.label,
    suspicious: row.suspicious,
    votes: said?.votes ?? {},
    error: row.error,
    usage: { prompt_tokens: row.prompt_tokens, completion_tokens: row.completion_tokens },
    cost_usd: row.cost_usd,
  };
}
