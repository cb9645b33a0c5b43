import type { ConversationDefaults } from '#lib/contracts/conversation';
import type { LogEvent } from '#lib/contracts/event';
import { isFinished } from '#lib/contracts/values/jobs';
import type { JobStatus } from '#lib/contracts/job-status';
import { notFound } from '#lib/contracts/input/problem';
import { MAX_NAMED_UNMATCHED, type RescoreOptions, type Unmatched } from '#lib/contracts/rescore';
import type { Tool } from '#lib/contracts/tool';
import type { Summary } from '#lib/contracts/summary';
import { SCORING_VERSION } from '#lib/contracts/values/verdicts';
import type { Verdict } from '#lib/contracts/verdict';
import { SUBMIT_LEVEL } from '#lib/contracts/worker-level';
import { newId } from '#lib/runtime/ids';
import { BatchColumns } from '../connection/batch-columns.js';
import { insertRow } from '../connection/insert-row.js';
import { inTransaction, longQuery, type Pool, type PoolClient } from '../connection/pool.js';
import { jsonColumn, nullableJsonColumn } from '../connection/json-column.js';
import { HAS_NO_DELETED_PARENT } from '../made-by.js';
import { wholeExchange } from '../read/exchange-parts.js';
import type { ItemPlace } from '../read/for-workers/exchanges.js';
import { parseCase } from '../read/pinned-cases.js';
import { VERDICT_BYTES } from '../upkeep/count-storage.js';
import { admitJobs } from './admit-jobs.js';
import { countWork } from './count-work.js';
import { createJob } from './create-job.js';
import { lockUser } from './lock-user.js';
import { logEvents } from './log-events.js';
import { pinVersion } from './pin-suite-version.js';
import { askForFiguresOfListed } from './run-figures.js';

interface RescoreToSubmit {
  teamId: string;
  userId: string;
  tokenId: string | null;
  runId: string;
  options: RescoreOptions;
  /** The version of the suite to score with; null for that of the run. */
  version?: { suiteId: string; version: number } | null;
}

/**
 * Writes a rescore and its job, which starts at once or waits for the user's other jobs.
 * @throws ProblemError 404; 422 for a version that is not stored
 */
export async function submitRescore(
  pool: Pool | PoolClient,
  { teamId, userId, tokenId, runId, options, version = null }: RescoreToSubmit,
): Promise<{ jobId: string; rescoreId: string } | 'unfinished'> {
  return inTransaction(pool, async (client) => {
    const versionId = version && (await pinVersion(client, { teamId, ...version }));
    await lockUser(client, userId);
    const found = await client.query<{ status: JobStatus; settled: number }>(
      `SELECT status, (SELECT coalesce(sum(settled), 0)::int FROM target WHERE run_id = r.id) AS settled
       FROM run r WHERE id = $1 AND team_id = $2 AND ${HAS_NO_DELETED_PARENT} FOR SHARE OF r`,
      [runId, teamId],
    );
    const run = found.rows[0];
    if (!run) throw notFound('run', runId);
    if (!isFinished(run.status)) return 'unfinished';
    const rescoreId = newId();
    const jobId = await createJob(client, {
      teamId,
      userId,
      type: 'rescore',
      resultRef: rescoreId,
      total: run.settled,
    });
    await insertRow(client, 'rescore', {
      id: rescoreId,
      team_id: teamId,
      run_id: runId,
      token_id: tokenId,
      job_id: jobId,
      options: JSON.stringify(options),
      suite_version_id: versionId,
      scoring_version: SCORING_VERSION,
      worker_level: SUBMIT_LEVEL,
    });
    await admitJobs(client, userId);
    await countWork(client, { teamId, jobIds: [jobId], items: 0 });
    return { jobId, rescoreId };
  });
}

/** A rescore with items left, and the item to continue with. */
export interface RescoreToContinue {
  id: string;
  teamId: string;
  runId: string;
  jobId: string;
  options: RescoreOptions;
  /** The version of the suite that it scores with; null for that of the run. */
  versionId: string | null;
  /** Whether it is stored how the version has the cases of the run. */
  matched: boolean;
  next: ItemPlace;
}

/** The oldest five of each team, so that a team with very many does not hold up the others. */
export async function rescoresToContinue(pool: Pool): Promise<RescoreToContinue[]> {
  const { rows } = await pool.query<Omit<RescoreToContinue, 'options' | 'next'> & ItemPlace & { options: string }>({
    name: 'rescores_to_continue',
    text: `SELECT * FROM (
       SELECT s.id, s.team_id AS "teamId", s.run_id AS "runId", s.job_id AS "jobId", s.options,
         s.suite_version_id AS "versionId", s.cases_matched AS matched,
         s.next_target AS target, s.next_case AS "casePosition", s.next_sample AS sample,
         row_number() OVER (PARTITION BY s.team_id ORDER BY j.id) AS n
       FROM job j JOIN rescore s ON s.job_id = j.id
       WHERE j.type = 'rescore' AND j.status IN ('queued', 'running') AND s.worker_level <= level_of_session()
     ) oldest
     WHERE n <= 5 ORDER BY n, id LIMIT 1000`,
  });
  return rows.map(({ options, target, casePosition, sample, ...rescore }) => ({
    ...rescore,
    options: jsonColumn<RescoreOptions>(options),
    next: { target, casePosition, sample },
  }));
}

/** A case of the run that the version of a rescore has in another form. */
interface DifferingCase {
  position: number;
  /** Its position in the version; null when no case there asks the same. */
  inVersion: number | null;
}

/** Stores how the version has the cases of the run, once. @returns false when another process did, or it was stopped */
export async function storeMatches(
  pool: Pool,
  { id, runId, versionId, next, matched }: RescoreToContinue,
  differing: readonly DifferingCase[],
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    if (!(await lockContinuing(client, { id, next, matched }))) return false;
    await client.query('UPDATE rescore SET cases_matched = true WHERE id = $1', [id]);
    await client.query(
      `INSERT INTO rescored_case (run_id, rescore_id, version_id, position, version_position)
       SELECT $1, $2, $3, u.* FROM unnest($4::int[], $5::int[]) u`,
      [runId, id, versionId, differing.map((one) => one.position), differing.map((one) => one.inVersion)],
    );
    return true;
  });
}

/** How a rescore's version has a case of the run in another form: its text and category, or null if not at all. */
export type CaseInVersion = { body: string; category: string | null } | null;

/** Those of these cases that are different in the version, by position in the run. */
export async function readCasesInVersion(
  pool: Pool,
  { id, runId }: Pick<RescoreToContinue, 'id' | 'runId'>,
  positions: readonly number[],
): Promise<Map<number, CaseInVersion>> {
  const { rows } = await pool.query<{ position: number; body: string | null; category: string | null }>(
    `SELECT m.position, c.body, c.category FROM rescored_case m
       LEFT JOIN suite_version_case c ON c.version_id = m.version_id AND c.position = m.version_position
     WHERE m.run_id = $1 AND m.rescore_id = $2 AND m.position = ANY ($3)`,
    [runId, id, positions],
  );
  return new Map(rows.map(({ position, body, category }) => [position, body === null ? null : { body, category }]));
}

/** The tools, the pass threshold and what conversations have in common, of a version of a suite. */
export async function readVersionSettings(
  pool: Pool,
  versionId: string,
): Promise<{ tools: Tool[]; passThreshold: number; conversation: ConversationDefaults | null }> {
  const { rows } = await pool.query<{ tools: string; pass_threshold: number; conversation: string | null }>(
    'SELECT tools, pass_threshold, conversation FROM suite_version WHERE id = $1',
    [versionId],
  );
  const { tools, pass_threshold: passThreshold, conversation } = rows[0]!;
  return {
    tools: jsonColumn<Tool[]>(tools),
    passThreshold,
    conversation: nullableJsonColumn<ConversationDefaults>(conversation),
  };
}

/** A settled item and its stored exchange: undefined if it is gone, empty if there was no reply. */
export interface StoredExchange extends ItemPlace {
  outcome: 'scored' | 'errored';
  exchange: Buffer | undefined;
}

/** The exchanges of settled items in order, starting at one item. */
export async function readExchanges(
  pool: Pool,
  runId: string,
  from: ItemPlace,
  limit: number,
): Promise<StoredExchange[]> {
  const { rows } = await longQuery<ItemPlace & { outcome: 'scored' | 'errored'; body: Buffer | null }>(
    pool,
    `SELECT r.target, r.case_position AS "casePosition", r.sample, r.outcome,
       ${wholeExchange('e')} AS body
     FROM result r LEFT JOIN exchange e USING (run_id, target, case_position, sample)
     WHERE r.run_id = $1 AND (r.target, r.case_position, r.sample) >= ($2, $3, $4)
     ORDER BY r.target, r.case_position, r.sample LIMIT $5`,
    [runId, from.target, from.casePosition, from.sample, limit],
  );
  return rows.map(({ body, ...row }) => ({
    ...row,
    exchange: body?.length ? body : row.outcome === 'errored' ? Buffer.alloc(0) : undefined,
  }));
}

interface Scored {
  verdict: Verdict;
  metrics?: Record<string, unknown>;
}

export interface RescoredItem extends ItemPlace {
  /** Undefined when there was no reply to score, or the version does not judge it. */
  scored: Scored | undefined;
  /** The version does not judge it. */
  unmatched?: boolean;
  /** It keeps the verdict of the run, because its calls are read otherwise today than they were answered. */
  kept?: boolean;
}

const KEPT_NOTE =
  'The calls of this conversation are read otherwise today than they were answered, so it keeps the verdict of its ' +
  'run.';

const VERDICTS = new BatchColumns<ItemPlace & Scored>({
  target: ['int', (item) => item.target],
  case_position: ['int', (item) => item.casePosition],
  sample: ['int', (item) => item.sample],
  passed: ['bool', ({ verdict }) => verdict.passed],
  tool_score: ['float8', ({ verdict }) => verdict.tool_score],
  param_score: ['float8', ({ verdict }) => verdict.param_score],
  overall: ['float8', ({ verdict }) => verdict.overall],
  error_type: ['text', ({ verdict }) => verdict.error_type],
  format_compliance: ['text', ({ verdict }) => verdict.format_compliance],
  syntax: ['text', ({ verdict }) => verdict.evidence.syntax ?? null],
  called: ['text', ({ verdict }) => JSON.stringify(verdict.called)],
  evidence: ['text', ({ verdict }) => JSON.stringify(verdict.evidence)],
  metrics: ['text', ({ metrics }) => (metrics ? JSON.stringify(metrics) : null)],
});

/**
 * Stores a page of verdicts and moves the rescore past it, in one commit.
 * @returns false when another process did so, or the job was stopped
 */
export async function storeRescored(
  pool: Pool,
  rescore: RescoreToContinue,
  page: readonly RescoredItem[],
): Promise<boolean> {
  const { id, runId, jobId } = rescore;
  const last = page.at(-1)!;
  const judged = page.flatMap((item) => (item.scored ? [{ ...item, ...item.scored }] : []));
  return inTransaction(pool, async (client) => {
    // Before the job, as in `settle_items`.
    await client.query(
      'SELECT 1 FROM target WHERE run_id = $1 AND ordinal = ANY ($2) ORDER BY ordinal FOR NO KEY UPDATE',
      [runId, page.map(({ target }) => target)],
    );
    if (!(await lockContinuing(client, rescore))) return false;
    const scored = [...judged, ...(await readKept(client, runId, page))];
    const unmatched = page.filter((item) => item.unmatched).length;
    await client.query('UPDATE rescore SET next_target = $2, next_case = $3, next_sample = $4 WHERE id = $1', [
      id,
      last.target,
      last.casePosition,
      last.sample + 1,
    ]);
    await client.query(
      `UPDATE job SET status = 'running', started_at = coalesce(started_at, now()), done = done + $2,
         errored = errored + $3
       WHERE id = $1`,
      [jobId, page.length, page.length - scored.length - unmatched],
    );
    await client.query(
      // A target without a count gets that of all its rescores later (`countTarget`).
      `WITH stored AS (
         INSERT INTO rescored (run_id, rescore_id, ${VERDICTS.names})
         SELECT $1, $2, u.* FROM ${VERDICTS.unnest(3)} RETURNING target, ${VERDICT_BYTES} AS bytes
       )
       UPDATE target t SET result_bytes = t.result_bytes + s.bytes
       FROM (SELECT target, sum(bytes) AS bytes FROM stored GROUP BY 1) s
       WHERE t.run_id = $1 AND t.ordinal = s.target AND t.result_bytes > 0`,
      [runId, id, ...VERDICTS.values(scored)],
    );
    return true;
  });
}

/** The verdicts that results of a page keep, with a note that says why. Errored results have none. */
async function readKept(
  client: PoolClient,
  runId: string,
  page: readonly RescoredItem[],
): Promise<(ItemPlace & Scored)[]> {
  const kept = page.filter((item) => item.kept);
  if (kept.length === 0) return [];
  const { rows } = await client.query<KeptRow>(
    `SELECT target, case_position, sample, passed, tool_score, param_score, overall, error_type, format_compliance,
       called, evidence, metrics
     FROM result JOIN unnest($2::int[], $3::int[], $4::int[]) AS u(target, case_position, sample)
       USING (target, case_position, sample)
     WHERE run_id = $1 AND outcome = 'scored'`,
    [
      runId,
      kept.map(({ target }) => target),
      kept.map(({ casePosition }) => casePosition),
      kept.map(({ sample }) => sample),
    ],
  );
  return rows.map(({ target, case_position: casePosition, sample, called, evidence: told, metrics, ...verdict }) => {
    const evidence = jsonColumn<Verdict['evidence']>(told);
    return {
      ...{ target, casePosition, sample },
      verdict: {
        ...verdict,
        called: jsonColumn<Verdict['called']>(called),
        evidence: { ...evidence, notes: [...(evidence.notes ?? []), KEPT_NOTE] },
      },
      ...(metrics !== null && { metrics: jsonColumn<Record<string, unknown>>(metrics) }),
    };
  });
}

type KeptRow = Omit<Verdict, 'called' | 'evidence'> &
  Record<'target' | 'case_position' | 'sample', number> &
  Record<'called' | 'evidence', string> & { metrics: string | null };

/** Locks a rescore and its job. @returns whether it is still at the position where this process continued it */
async function lockContinuing(
  client: PoolClient,
  { id, next, matched }: Pick<RescoreToContinue, 'id' | 'next' | 'matched'>,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT 1 FROM rescore s JOIN job j ON j.id = s.job_id
     WHERE s.id = $1 AND (s.next_target, s.next_case, s.next_sample) = ($2, $3, $4) AND s.cases_matched = $5
       AND j.status IN ('queued', 'running') FOR NO KEY UPDATE`,
    [id, next.target, next.casePosition, next.sample, matched],
  );
  return rowCount !== 0;
}

/**
 * Ends a rescore with its summaries, or with the error that made it impossible. Only the first attempt has an effect.
 */
export async function finishRescore(
  pool: Pool,
  { id, runId, jobId }: RescoreToContinue,
  end: { summaries: Summary[]; unmatched: Unmatched | null } | { error: string },
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const found = await client.query<{ user_id: string }>('SELECT user_id FROM job WHERE id = $1', [jobId]);
    if (!found.rows[0]) return;
    await lockUser(client, found.rows[0].user_id);
    // Before the job, as in `storeRescored`.
    await client.query('SELECT 1 FROM rescore WHERE id = $1 FOR NO KEY UPDATE', [id]);
    const event: LogEvent =
      'error' in end
        ? { name: 'job_failed', data: { status: 'failed', result_ref: id, error: end.error } }
        : { name: 'job_completed', data: { status: 'completed', result_ref: id } };
    const finished = await client.query(
      `UPDATE job SET status = $2, error = $3, finished_at = now(), started_at = coalesce(started_at, now())
       WHERE id = $1 AND status IN ('queued', 'running')`,
      [jobId, event.data.status, 'error' in end ? end.error : null],
    );
    if (finished.rowCount === 0) return;
    if ('summaries' in end) {
      await client.query('UPDATE rescore SET summaries = $2, score = $3, unmatched = $4 WHERE id = $1', [
        id,
        JSON.stringify(end.summaries),
        meanOverall(end.summaries),
        end.unmatched && JSON.stringify(end.unmatched),
      ]);
      await askForFiguresOfListed(client, { runId, rescoreId: id });
    }
    await logEvents(client, jobId, [event]);
    await admitJobs(client, found.rows[0].user_id);
  });
}

/** @param positions of the unmatched cases of a run */
export async function nameUnmatched(
  pool: Pool,
  runId: string,
  { positions, results }: { positions: ReadonlySet<number>; results: number },
): Promise<Unmatched> {
  const first = [...positions].sort((a, b) => a - b).slice(0, MAX_NAMED_UNMATCHED);
  const { rows } = await pool.query<{ id: string; body: string }>(
    `SELECT c.case_id AS id, c.body FROM run r JOIN suite_version_case c ON c.version_id = r.suite_version_id
     WHERE r.id = $1 AND c.position = ANY ($2) ORDER BY c.position`,
    [runId, first],
  );
  const cases = rows.map(({ id, body }) => ({ id, name: parseCase(body).name ?? null }));
  return { count: positions.size, results, cases };
}

/** The mean over the targets that have a score, like the score of a run. */
function meanOverall(summaries: readonly Summary[]): number | null {
  const means = summaries.flatMap(({ overall }) => (overall === null ? [] : [overall]));
  return means.length ? means.reduce((a, b) => a + b, 0) / means.length : null;
}
