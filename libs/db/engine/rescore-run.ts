import type { LogEvent } from '#lib/contracts/event';
import { parseJson } from '#lib/contracts/json/json';
import { isFinished, type JobStatus } from '#lib/contracts/job';
import { notFound } from '#lib/contracts/problem';
import type { RescoreOptions } from '#lib/contracts/rescore';
import type { Summary } from '#lib/contracts/summary';
import { SCORING_VERSION, type Verdict } from '#lib/contracts/verdict';
import { newId } from '#lib/runtime/ids';
import { admitJobs } from './admit-jobs.js';
import { lockUser } from './lock-user.js';
import type { ItemPlace } from '../read/for-workers/exchanges.js';
import { logEvents } from './log-events.js';
import { inTransaction, longQuery, type Pool, type PoolClient } from '../connection/pool.js';

/** Writes a rescore and its job, which starts at once or waits for the user's other jobs. */
export async function submitRescore(
  pool: Pool | PoolClient,
  { teamId, userId, runId, options }: { teamId: string; userId: string; runId: string; options: RescoreOptions },
): Promise<{ jobId: string; rescoreId: string } | 'unfinished'> {
  return inTransaction(pool, async (client) => {
    await lockUser(client, userId);
    const found = await client.query<{ status: JobStatus; settled: number }>(
      `SELECT status, (SELECT coalesce(sum(settled), 0)::int FROM target WHERE run_id = run.id) AS settled FROM run
        WHERE id = $1 AND team_id = $2 FOR SHARE`,
      [runId, teamId],
    );
    const run = found.rows[0];
    if (!run) throw notFound('run', runId);
    if (!isFinished(run.status)) return 'unfinished';
    const made = { jobId: newId(), rescoreId: newId() };
    await client.query(
      `INSERT INTO job (id, team_id, user_id, type, status, result_ref, total)
        VALUES ($1, $2, $3, 'rescore', 'pending', $4, $5)`,
      [made.jobId, teamId, userId, made.rescoreId, run.settled],
    );
    await client.query(
      'INSERT INTO rescore (id, team_id, run_id, job_id, options, scoring_version) VALUES ($1, $2, $3, $4, $5, $6)',
      [made.rescoreId, teamId, runId, made.jobId, JSON.stringify(options), SCORING_VERSION],
    );
    await logEvents(client, made.jobId, [
      { name: 'job_created', data: { type: 'rescore', status: 'pending', result_ref: made.rescoreId } },
    ]);
    await admitJobs(client, userId);
    return made;
  });
}

/** A rescore that is to go on, and where. */
export interface RescoreToContinue {
  id: string;
  teamId: string;
  runId: string;
  jobId: string;
  options: RescoreOptions;
  next: ItemPlace;
}
/** Of each team the oldest ones. */
export async function rescoresToContinue(pool: Pool): Promise<RescoreToContinue[]> {
  const { rows } = await pool.query<{
    id: string;
    teamId: string;
    runId: string;
    jobId: string;
    options: string;
    target: number;
    casePosition: number;
    sample: number;
  }>(
    `SELECT * FROM (
       SELECT s.id, s.team_id AS "teamId", s.run_id AS "runId", s.job_id AS "jobId", s.options, s.next_target AS
         target, s.next_case AS "casePosition",
         s.next_sample AS sample, row_number() OVER (PARTITION BY s.team_id ORDER BY j.id) AS n
       FROM job j JOIN rescore s ON s.job_id = j.id WHERE j.type = 'rescore'
         AND j.status IN ('queued', 'running')) todo
     WHERE n <= 5 ORDER BY n, id LIMIT 1000`,
  );
  return rows.map(({ id, teamId, runId, jobId, options, target, casePosition, sample }) => ({
    id,
    teamId,
    runId,
    jobId,
    options: parseJson(options) as unknown as RescoreOptions,
    next: { target, casePosition, sample },
  }));
}

/** A settled item and what was answered, as it was packed: undefined where it is gone, empty where nothing was. */
export interface StoredExchange extends ItemPlace {
  outcome: 'scored' | 'errored';
  exchange: Buffer | undefined;
}

export async function readExchanges(
  pool: Pool,
  runId: string,
  from: ItemPlace,
  limit: number,
): Promise<StoredExchange[]> {
  const { rows } = await longQuery<ItemPlace & { outcome: 'scored' | 'errored'; body: Buffer | null }>(
    pool,
    `SELECT r.target, r.case_position AS "casePosition", r.sample, r.outcome, e.body
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

export interface RescoredItem extends ItemPlace {
  /** Undefined where no model had answered. */
  scored: { verdict: Verdict; metrics?: Record<string, unknown> } | undefined;
}

/** Keeps a page of verdicts and moves on behind it, unless another process did or the job was stopped. */
export async function storeRescored(
  pool: Pool,
  { id, runId, jobId, next }: RescoreToContinue,
  page: readonly RescoredItem[],
): Promise<boolean> {
  const last = page.at(-1)!;
  const scored = page.flatMap((row) => (row.scored ? [{ ...row, ...row.scored }] : []));
  return inTransaction(pool, async (client) => {
    const going = await client.query(
      `SELECT 1 FROM rescore s JOIN job j ON j.id = s.job_id
       WHERE s.id = $1 AND (s.next_target, s.next_case, s.next_sample) = ($2, $3, $4)
         AND j.status IN ('queued', 'running') FOR UPDATE`,
      [id, next.target, next.casePosition, next.sample],
    );
    if (going.rowCount === 0) return false;
    await client.query('UPDATE rescore SET next_target = $2, next_case = $3, next_sample = $4 WHERE id = $1', [
      id,
      last.target,
      last.casePosition,
      last.sample + 1,
    ]);
    await client.query(
      `UPDATE job SET status = 'running', started_at = coalesce(started_at, now()), done = done + $2, errored =
        errored + $3 WHERE id = $1`,
      [jobId, page.length, page.length - scored.length],
    );
    const of = <Value>(column: (row: (typeof scored)[number]) => Value): Value[] => scored.map(column);
    await client.query(
      `INSERT INTO rescored (run_id, rescore_id, target, case_position, sample, passed, tool_score, param_score,
        overall, error_type, format_compliance, called, evidence, metrics)
       SELECT $1, $2, u.* FROM unnest($3::int[], $4::int[], $5::int[], $6::bool[], $7::float8[], $8::float8[],
         $9::float8[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[])
         AS u(target, case_position, sample, passed, tool_score, param_score, overall, error_type,
           format_compliance, called, evidence, metrics)`,
      [
        runId,
        id,
        of((r) => r.target),
        of((r) => r.casePosition),
        of((r) => r.sample),
        of((r) => r.verdict.passed),
        of((r) => r.verdict.tool_score),
        of((r) => r.verdict.param_score),
        of((r) => r.verdict.overall),
        of((r) => r.verdict.error_type),
        of((r) => r.verdict.format_compliance),
        of((r) => JSON.stringify(r.verdict.called)),
        of((r) => JSON.stringify(r.verdict.evidence)),
        of((r) => (r.metrics ? JSON.stringify(r.metrics) : null)),
      ],
    );
    return true;
  });
}

/** Ends a rescore: with its summaries, or with what made it impossible. Once, whoever else tries. */
export async function finishRescore(
  pool: Pool,
  { id, jobId }: RescoreToContinue,
  end: { summaries: Summary[] } | { error: string },
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const found = await client.query<{ user_id: string }>('SELECT user_id FROM job WHERE id = $1', [jobId]);
    if (!found.rows[0]) return;
    await lockUser(client, found.rows[0].user_id);
    const event: LogEvent =
      'error' in end
        ? { name: 'job_failed', data: { status: 'failed', result_ref: id, error: end.error } }
        : { name: 'job_completed', data: { status: 'completed', result_ref: id } };
    const ended = await client.query(
      `UPDATE job SET status = $2, error = $3, finished_at = now(), started_at = coalesce(started_at, now())
        WHERE id = $1 AND status IN ('queued', 'running')`,
      [jobId, event.data.status, 'error' in end ? end.error : null],
    );
    if (ended.rowCount === 0) return;
    if ('summaries' in end) {
      const means = end.summaries.flatMap(({ overall }) => (overall === null ? [] : [overall]));
      await client.query('UPDATE rescore SET summaries = $2, score = $3 WHERE id = $1', [
        id,
        JSON.stringify(end.summaries),
        means.length ? means.reduce((a, b) => a + b, 0) / means.length : null,
      ]);
    }
    await logEvents(client, jobId, [event]);
    await admitJobs(client, found.rows[0].user_id);
  });
}
