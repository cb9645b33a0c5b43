import { auditWork } from '#lib/db/audit-work';
import type { z } from 'zod';
import { ProblemError } from '#lib/contracts/input/problem';
import type { JobStatus } from '#lib/contracts/job-status';
import { JudgeOfRun } from '#lib/contracts/judge-of-run';
import { inTransaction, type Pool, type PoolClient } from '#lib/db/connection/pool';
import { lockUserOrTimeOut } from '#lib/db/engine/lock-user';
import { storeWarning } from '#lib/db/engine/log-events';
import { JudgeInput, type JudgeReport } from '../contract.js';
import { submitReport } from './store-report.js';

// A run may request its own report, and a team may have low-scoring runs judged. Both happen once per run: `asked_by`
// of a report is unique. The job of an inline report is submitted with the run and follows it. Finishing a run
// (`finishRun`) only stores a note, so that a failure here never holds up a run that has its score; a worker picks up
// the note (`judgeFinishedRun`) and deletes it in the transaction that submits the report.

interface Asking {
  teamId: string;
  userId: string;
  /** That of the run. */
  tokenId: string | null;
  runId: string;
  experimentId: string | null;
  source: JudgeReport['source'];
  /** `provider_key::model_id` */
  judge: string;
  below: number;
  instructions: string;
}

/** @returns the job of the report; undefined when the run has already requested one */
export async function askByRun(
  client: PoolClient,
  { runId, judge, below, instructions, ...of }: Asking,
): Promise<string | undefined> {
  const report = await submitReport(client, {
    ...of,
    asked: readAs(JudgeInput, { eval_id: runId, judge, below, instructions }, 'What its judge is asked'),
    judge,
    runId,
    baselineId: null,
    askedBy: runId,
    planned: 0,
  });
  if (!report) return undefined;
  const change = { after: { judge, below, source: of.source }, cause: `run ${runId}` };
  await auditWork(client, of.teamId, 'judge.submit', report.id, change);
  return report.jobId;
}

export interface RunToJudge {
  id: string;
  teamId: string;
  userId: string;
}

/**
 * Noted runs, up to twenty per team, oldest first.
 * @param except ids of runs to skip
 */
export async function runsToJudge(pool: Pool, except: readonly string[]): Promise<RunToJudge[]> {
  const { rows } = await pool.query<RunToJudge>({
    name: 'runs_to_judge',
    text: `SELECT id, "teamId", "userId" FROM (
       SELECT r.id, r.team_id AS "teamId", r.user_id AS "userId",
         row_number() OVER (PARTITION BY r.team_id ORDER BY q.asked_at, r.id) AS n
       FROM run_to_judge q JOIN run r ON r.id = q.run_id
       WHERE r.worker_level <= level_of_session() AND r.id <> ALL ($1)
     ) oldest
     WHERE n <= 20 ORDER BY n LIMIT 1000`,
    values: [except],
  });
  return rows;
}

interface FinishedRun {
  team_id: string;
  user_id: string;
  token_id: string | null;
  status: JobStatus;
  experiment_id: string | null;
  score: number | null;
  config: string;
  judge: string | null;
  instructions: string | null;
  auto_below: number | null;
  failed: number;
}

/**
 * Submits the report of a noted run, if the run or its team asks for one. Does nothing when another process has already
 * done so.
 * @throws ProblemError when it cannot be judged, now or later: `giveUpJudging`
 */
export async function judgeFinishedRun(pool: Pool, { id: runId, userId }: RunToJudge): Promise<string | undefined> {
  return inTransaction(pool, async (client) => {
    await lockUserOrTimeOut(client, userId);
    // The run may have been resumed, and may be ending right now: its own note has no effect while this note exists.
    await client.query('SELECT 1 FROM run WHERE id = $1 FOR SHARE', [runId]);
    const { rows } = await client.query<FinishedRun>(
      `SELECT r.team_id, r.user_id, r.token_id, r.status, r.experiment_id, r.score, r.config, s.judge, s.instructions,
         s.auto_below,
         (SELECT sum(settled - errored - passed)::int FROM target WHERE run_id = r.id) AS failed
       FROM run r LEFT JOIN judge_setting s ON s.team_id = r.team_id WHERE r.id = $1`,
      [runId],
    );
    const noted = await client.query('DELETE FROM run_to_judge WHERE run_id = $1', [runId]);
    return rows[0] && noted.rowCount ? askIfWanted(client, runId, rows[0]) : undefined;
  });
}

async function askIfWanted(client: PoolClient, runId: string, run: FinishedRun): Promise<string | undefined> {
  // A run that was resumed in the meantime is noted again when it ends.
  if (run.failed === 0 || run.status !== 'completed') return undefined;
  const { team_id: teamId, user_id: userId, token_id: tokenId, experiment_id: experimentId } = run;
  const of = { teamId, userId, tokenId, runId, experimentId };
  const instructions = run.instructions ?? '';
  const own = readOwn(run.config);
  if (own?.when === 'inline') return undefined;
  if (own)
    return own.below > 0 && own.judge !== null
      ? askByRun(client, { ...of, instructions, source: 'after', judge: own.judge, below: own.below })
      : undefined;
  const { judge, auto_below: below, score } = run;
  if (judge === null || below === null || below === 0 || score === null || score >= below) return undefined;
  return askByRun(client, { ...of, instructions, source: 'auto', judge, below: 1 });
}

/** @throws ProblemError when this release cannot read the settings of the run */
function readOwn(config: string): JudgeOfRun | null {
  const { judge = null } = JSON.parse(config) as { judge?: unknown };
  return judge === null ? null : readAs(JudgeOfRun, judge, 'The judge of the run');
}

/** Another release may have stored values that this one does not accept. @throws ProblemError */
function readAs<Value>(schema: z.ZodType<Value>, value: unknown, what: string): Value {
  const { data, error } = schema.safeParse(value);
  if (!error) return data;
  const [{ path, message }] = error.issues as [z.core.$ZodIssue];
  throw new ProblemError(422, `${what} cannot be read: ${path.join('.')}: ${message}`);
}

/** Deletes the note of a run that cannot be judged, and adds a warning to the run. */
export async function abandonJudging(pool: Pool, { id: runId }: RunToJudge, why: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query('SELECT 1 FROM run WHERE id = $1 FOR KEY SHARE', [runId]);
    const noted = await client.query('DELETE FROM run_to_judge WHERE run_id = $1', [runId]);
    const message = `The run was not judged automatically. ${why}`;
    if (noted.rowCount) await storeWarning(client, { runId, code: 'not_judged', message, status: 'completed' });
  });
}
