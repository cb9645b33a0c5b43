import type { ParsedCall } from '#lib/contracts/verdict';
import { longQuery, type Pool, type PoolClient } from '#lib/db/connection/pool';
import { wholeExchange } from '#lib/db/read/exchange-parts';
import { jsonColumn } from '#lib/db/connection/json-column';

/** A result to judge, or two results of one case to compare. */
export interface ChosenResult {
  runId: string;
  target: number;
  casePosition: number;
  sample: number;
  passed: boolean;
  otherTarget: number | null;
  otherCasePosition: number | null;
  otherSample: number | null;
}

/** Which results of a run are judged. */
export interface Choice {
  which: 'failed' | 'all' | 'sample';
  /** For `failed`: only results with a score below this; 1 for all. */
  below: number;
  sampleSize: number;
  seed: number;
  /** Only results that a job of the run logged after this sequence number; 0 for all. */
  afterSeq: number;
  limit: number;
}

const QUALIFIES = `r.outcome = 'scored' AND ($4 <> 'failed' OR (NOT r.passed AND ($5::float8 >= 1 OR r.overall < $5)))`;

/**
 * The next results of a run that a report has not chosen yet, in the order in which they were settled, or in random
 * order for a sample.
 */
export async function chooseResults(
  pool: Pool,
  { reportId, runId }: { reportId: string; runId: string },
  { which, below, sampleSize, seed, afterSeq, limit }: Choice,
): Promise<ChosenResult[]> {
  const { rows } = await longQuery<ChosenResult>(
    pool,
    `SELECT r.run_id AS "runId", r.target, r.case_position AS "casePosition", r.sample, r.passed,
       NULL AS "otherTarget", NULL AS "otherCasePosition", NULL AS "otherSample"
     FROM result r
     WHERE r.run_id = $1 AND r.seq > $3 AND ${QUALIFIES} AND NOT EXISTS (
       SELECT 1 FROM judgement j WHERE j.report_id = $2 AND j.run_id = r.run_id AND j.target = r.target
         AND j.case_position = r.case_position AND j.sample = r.sample
     )
     ORDER BY CASE WHEN $4 = 'sample' THEN md5($7::text || '.' || target || '.' || case_position || '.' || sample) END,
       generation, seq
     LIMIT $6`,
    [runId, reportId, afterSeq, which, below, which === 'sample' ? Math.min(sampleSize, limit) : limit, seed],
  );
  return rows;
}

/** The first sample of each common case that has a score in both runs. */
export async function choosePairs(
  db: Pool | PoolClient,
  a: { runId: string; target: number },
  b: { runId: string; target: number },
  common: readonly { a: number; b: number }[],
): Promise<ChosenResult[]> {
  const { rows } = await db.query<ChosenResult>(
    `SELECT $4::uuid AS "runId", $5::smallint AS target, u.b AS "casePosition", rb.sample, rb.passed,
       $2::smallint AS "otherTarget", u.a AS "otherCasePosition", ra.sample AS "otherSample"
     FROM unnest($3::int[], $6::int[]) WITH ORDINALITY AS u (a, b, n),
       LATERAL (SELECT sample FROM result WHERE run_id = $1 AND target = $2 AND case_position = u.a
         AND outcome = 'scored' ORDER BY sample LIMIT 1) ra,
       LATERAL (SELECT sample, passed FROM result WHERE run_id = $4 AND target = $5 AND case_position = u.b
         AND outcome = 'scored' ORDER BY sample LIMIT 1) rb
     ORDER BY u.n`,
    [a.runId, a.target, common.map((one) => one.a), b.runId, b.target, common.map((one) => one.b)],
  );
  return rows;
}

/** A judgement that still has to be requested, or read. */
export interface OpenJudgement extends ChosenResult {
  position: number;
  suspicious: boolean;
}

const OPEN = `position, suspicious, run_id AS "runId", target, case_position AS "casePosition", sample, passed,
  other_target AS "otherTarget", other_case_position AS "otherCasePosition", other_sample AS "otherSample"`;

/** Judgements in a state, by position. */
export async function readOpen(
  pool: Pool,
  reportId: string,
  { states, limit }: { states: readonly string[]; limit?: number },
): Promise<OpenJudgement[]> {
  const { rows } = await pool.query<OpenJudgement>(
    `SELECT ${OPEN} FROM judgement WHERE report_id = $1 AND state = ANY ($2) ORDER BY position LIMIT $3`,
    [reportId, states, limit ?? null],
  );
  return rows;
}

/** The maximum size of a reply's calls as JSON, and of its compressed exchange, when read for a judge or from one. */
const MAX_CALLS_BYTES = 2 ** 16;
const MAX_EXCHANGE_BYTES = 2 ** 16;

/** A model's reply: its calls, and the exchange with its text. Null when they are too long to read. */
export interface StoredReply {
  called: ParsedCall[] | null;
  exchange: Buffer | null;
}

type Place = Pick<ChosenResult, 'runId' | 'target' | 'casePosition' | 'sample'>;

/** The replies of results of one run, in the given order; undefined for a result that no longer exists. */
export async function readReplies(
  pool: Pool,
  runId: string,
  places: readonly Omit<Place, 'runId'>[],
): Promise<(StoredReply | undefined)[]> {
  const { rows } = await pool.query<{ n: number; called: string | null; exchange: Buffer | null }>(
    `SELECT u.n::int, CASE WHEN octet_length(r.called) <= $5 THEN r.called END AS called,
       CASE WHEN octet_length(${wholeExchange('e')}) <= $6 THEN ${wholeExchange('e')} END AS exchange
     FROM unnest($2::int[], $3::int[], $4::int[]) WITH ORDINALITY AS u (target, case_position, sample, n)
       JOIN result r ON r.run_id = $1 AND r.target = u.target AND r.case_position = u.case_position
         AND r.sample = u.sample AND r.outcome = 'scored'
       LEFT JOIN exchange e ON e.run_id = $1 AND e.target = u.target AND e.case_position = u.case_position
         AND e.sample = u.sample`,
    [
      runId,
      places.map(({ target }) => target),
      places.map(({ casePosition }) => casePosition),
      places.map(({ sample }) => sample),
      MAX_CALLS_BYTES,
      MAX_EXCHANGE_BYTES,
    ],
  );
  const found = new Map(rows.map((row) => [row.n - 1, row]));
  return places.map((_place, index) => {
    const row = found.get(index);
    return row && { called: row.called === null ? null : parseCalls(row.called), exchange: row.exchange };
  });
}

const parseCalls = (json: string): ParsedCall[] => jsonColumn<ParsedCall[]>(json);

/** A judge's reply to one request. */
export interface JudgeReply {
  /** The position of the request. */
  request: number;
  /** Null when they are too long to read. */
  called: ParsedCall[] | null;
  /** Why there is no reply; null when there is one. */
  error: string | null;
  promptTokens: number | null;
  completionTokens: number | null;
  costUsd: number | null;
}

/** The replies to requests over all runs that made them, ordered by run and sample. */
export async function readJudgeReplies(
  pool: Pool,
  runIds: readonly string[],
  requests: readonly number[],
): Promise<JudgeReply[]> {
  const { rows } = await pool.query<Omit<JudgeReply, 'called'> & { called: string | null; outcome: string }>(
    `SELECT case_position AS request, outcome, error_message AS error, prompt_tokens AS "promptTokens",
       completion_tokens AS "completionTokens", cost_usd AS "costUsd",
       CASE WHEN octet_length(called) <= $3 THEN called END AS called
     FROM result WHERE run_id = ANY ($1) AND target = 0 AND case_position = ANY ($2) ORDER BY run_id, sample`,
    [runIds, requests, MAX_CALLS_BYTES],
  );
  return rows.map(({ called, outcome, error, ...row }) => ({
    ...row,
    called: called === null ? null : parseCalls(called),
    error: outcome === 'scored' ? null : (error ?? 'it did not reply'),
  }));
}

/** The current state of the run that a report is about. */
export interface WatchedRun {
  status: string;
  lastSeq: number;
  seenSeq: number;
  choosing: boolean;
  runId: string;
  baselineId: string | null;
  source: string;
}

/** @returns undefined when a run of the report no longer exists */
export async function readWatchedRun(pool: Pool, reportId: string): Promise<WatchedRun | undefined> {
  const { rows } = await pool.query<WatchedRun>(
    `SELECT r.status, j.last_seq AS "lastSeq", p.seen_seq AS "seenSeq", p.choosing, p.run_id AS "runId",
       p.baseline_id AS "baselineId", p.source
     FROM judge_report p JOIN run r ON r.id = p.run_id JOIN job j ON j.id = r.job_id
     WHERE p.id = $1 AND (p.baseline_id IS NULL OR EXISTS (SELECT 1 FROM run b WHERE b.id = p.baseline_id))`,
    [reportId],
  );
  return rows[0];
}

/** How many judgements a report has. */
export async function countJudgements(pool: Pool, reportId: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM judgement WHERE report_id = $1',
    [reportId],
  );
  return rows[0]!.count;
}

/** The judgements of a report for its summary, without errored ones. */
export async function readLines(
  pool: Pool,
  reportId: string,
): Promise<{ position: number; verdict: string; said: string }[]> {
  const { rows } = await pool.query<{ position: number; verdict: string; said: string }>(
    `SELECT position, verdict, said FROM judgement WHERE report_id = $1 AND state = 'judged' ORDER BY position`,
    [reportId],
  );
  return rows;
}

/** Cases of a version by position, as JSON, without those above the size limit. */
export async function readSmallCases(
  pool: Pool,
  versionId: string,
  positions: readonly number[],
  maxBytes: number,
): Promise<Map<number, string>> {
  const { rows } = await pool.query<{ position: number; body: string }>(
    `SELECT position, body FROM suite_version_case
     WHERE version_id = $1 AND position = ANY ($2) AND octet_length(body) <= $3`,
    [versionId, [...new Set(positions)], maxBytes],
  );
  return new Map(rows.map(({ position, body }) => [position, body]));
}
