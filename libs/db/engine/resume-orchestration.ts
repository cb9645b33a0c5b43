import { ProblemError } from '#lib/contracts/input/problem';
import type { JobStatus } from '#lib/contracts/job-status';
import { type OrchestrationType, isFinished } from '#lib/contracts/values/jobs';
import type { ResumeInput, RunConfig } from '#lib/contracts/run-input';
import { SUBMIT_LEVEL } from '#lib/contracts/worker-level';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { admitJobs } from './admit-jobs.js';
import { countWork } from './count-work.js';
import { createJob } from './create-job.js';
import { lockUser, lockUserOrTimeOut } from './lock-user.js';
import type { Orchestration } from './orchestrations.js';
import { refuseSpentBudget, resumeRuns } from './resume-run.js';

/** Whose job the resumed one is, and whose cap counts. */
type ResumedBy = Pick<Orchestration, 'teamId' | 'userId' | 'tokenId'>;

/**
 * Resumes an orchestration that has ended, from the step where it ended: scores of its child runs are kept, and only
 * unscored items are requested. It continues under a new job. However many child runs it has, this writes a few rows;
 * workers resume them in batches (`resumeChildren`) before they execute the next step.
 * @throws ProblemError 404, 409 when there is nothing to resume or the team reached a quota, 422 when the budget is
 *   spent
 */
export async function resumeOrchestration(
  db: Pool | PoolClient,
  { teamId, userId, tokenId, jobId, budget }: ResumeInput & ResumedBy & { jobId: string },
): Promise<{ id: string; jobId: string; earlierBudget: RunConfig['budget'] }> {
  return inTransaction(db, async (client) => {
    await lockUser(client, userId);
    const { id, type, generation, budget: earlierBudget } = await lockResumable(client, teamId, jobId);
    if (budget !== undefined)
      await client.query('UPDATE orchestration SET max_requests = $2, max_cost_usd = $3 WHERE id = $1', [
        id,
        budget?.max_requests ?? null,
        budget?.max_cost_usd ?? null,
      ]);
    await client.query('UPDATE orchestration SET token_id = $2 WHERE id = $1', [id, tokenId]);
    const of = { teamId, userId, type, resultRef: id, total: 0, generation: generation + 1 };
    const newJobId = await createJob(client, of);
    const [unscored] = await childrenToResume(client, { id, jobId: newJobId }, 1);
    // All child runs share the budget of their parent.
    if (unscored !== undefined) await refuseSpentBudget(client, unscored);
    await client.query(
      `UPDATE orchestration SET job_id = $2, user_id = $3, generation = generation + 1, revision = revision + 1,
         worker_level = greatest(worker_level, $4), resuming = $5
       WHERE id = $1`,
      [id, newJobId, userId, SUBMIT_LEVEL, unscored !== undefined],
    );
    await admitJobs(client, userId);
    const items = await countUnscored(client, { id, jobId: newJobId });
    await countWork(client, { teamId, jobIds: [newJobId], items });
    return { id, jobId: newJobId, earlierBudget };
  });
}

/** Maximum number of child runs resumed in a transaction: others of the user wait for it. */
const PIECE = 50;

/**
 * Resumes the next child runs of an orchestration that was resumed. After a crash it continues with the rest: those
 * whose job does not belong to their parent's current one.
 * @returns the lanes that have work now; undefined when another process has done it, or the job was cancelled
 */
export async function resumeChildren(
  pool: Pool,
  { id, jobId, teamId, userId, tokenId }: Pick<Orchestration, 'id' | 'jobId' | keyof ResumedBy>,
  pieceSize = PIECE,
): Promise<string[] | undefined> {
  return inTransaction(pool, async (client) => {
    await lockUserOrTimeOut(client, userId);
    const { rowCount } = await client.query(
      `SELECT 1 FROM orchestration o JOIN job j ON j.id = o.job_id
       WHERE o.id = $1 AND o.job_id = $2 AND o.resuming AND j.status IN ('queued', 'running') FOR UPDATE OF o`,
      [id, jobId],
    );
    if (rowCount === 0) return undefined;
    const runIds = await childrenToResume(client, { id, jobId }, pieceSize);
    if (runIds.length < pieceSize) await client.query('UPDATE orchestration SET resuming = false WHERE id = $1', [id]);
    return resumeRuns(client, { teamId, userId, tokenId, runIds, parentJobId: jobId });
  });
}

/**
 * SQL: child runs `r` of the orchestration `$1` with unscored items that the current job of their parent, `$2`, has not
 * resumed.
 */
const TO_RESUME = `FROM run r JOIN job j ON j.id = r.job_id
  WHERE r.orchestration_id = $1 AND j.parent_id IS DISTINCT FROM $2
    AND r.status IN ('completed', 'cancelled', 'budget_exceeded') AND EXISTS (
      SELECT 1 FROM target t WHERE t.run_id = r.id AND t.n > t.settled - t.errored
    )`;

/** How many items all of them have without a score. */
async function countUnscored(client: PoolClient, { id, jobId }: { id: string; jobId: string }): Promise<number> {
  const { rows } = await client.query<{ items: number }>(
    `SELECT coalesce(sum(n - settled + errored), 0)::int8 AS items FROM target
     WHERE run_id IN (SELECT r.id ${TO_RESUME})`,
    [id, jobId],
  );
  return rows[0]!.items;
}

async function childrenToResume(
  client: PoolClient,
  { id, jobId }: { id: string; jobId: string },
  limit: number,
): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(`SELECT r.id ${TO_RESUME} ORDER BY r.id LIMIT $3`, [
    id,
    jobId,
    limit,
  ]);
  return rows.map((row) => row.id);
}

interface Resumable {
  id: string;
  type: OrchestrationType;
  generation: number;
  budget: RunConfig['budget'];
}

async function lockResumable(client: PoolClient, teamId: string, jobId: string): Promise<Resumable> {
  const { rows } = await client.query<Resumable & { step: string | null; status: JobStatus }>(
    `SELECT o.id, o.type, o.generation, o.step, j.status,
       json_build_object('max_requests', o.max_requests, 'max_cost_usd', o.max_cost_usd) AS budget
     FROM orchestration o JOIN job j ON j.id = o.job_id
     WHERE o.team_id = $1 AND o.job_id = $2 FOR UPDATE OF o`,
    [teamId, jobId],
  );
  const found = rows[0];
  if (!found) throw new ProblemError(404, `No job with id "${jobId}" in this team that can be resumed.`);
  if (!isFinished(found.status))
    throw new ProblemError(409, `The job is ${found.status}. It can be resumed when it has ended.`).as(
      'job_unfinished',
      { job_id: jobId, status: found.status },
    );
  if (found.step === null)
    throw new ProblemError(409, 'The job has its answer, so there is nothing to resume.').as('nothing_to_resume');
  return found;
}
