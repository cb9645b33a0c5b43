import type { JobStatus } from '#lib/contracts/job';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { ProblemError } from '#lib/contracts/input/problem';
import type { ResumeInput } from '#lib/contracts/run';
import { WORKER_LEVEL } from '#lib/contracts/worker-level';
import { LaneRepository } from '../catalogue/lanes.js';
import { lockProviders } from './move-targets.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { admitJobs } from './admit-jobs.js';
import { createJob } from './create-job.js';
import { lockUser } from './lock-user.js';
import { madeBy } from '../made-by.js';
import { cancelPreparation } from './prepare-run.js';
import { budgetExceeded, readBudgets } from './run-budget.js';

interface Resume extends ResumeInput {
  teamId: string;
  userId: string;
  runId: string;
  /** Of a child run: the new job of its parent, which is resumed. */
  parentJobId?: string;
}

/**
 * Resumes a run that has ended, with the items that have no score: those that errored and those that are missing.
 * What is scored stays, and is not paid for again. The run continues under a new job, in its next generation.
 *
 * However large the run, this writes a few rows; `prepareRun` looks through the items afterwards. What the earlier
 * job logged of errored items stays in its log, while their results make room for new ones. Their exchanges stay
 * until new ones take their place: where a model had replied, its reply is scored and no request is made. A recorded
 * run makes no request either way.
 *
 * @throws ProblemError 404, 409 when there is nothing to resume or its parent has to be, 422 when the budget is spent
 */
export async function resumeRun(
  pool: Pool | PoolClient,
  resume: Resume,
): Promise<{ jobId: string; runId: string; lanes: string[] }> {
  const { teamId, userId, runId, budget, parentJobId: parentId } = resume;
  return inTransaction(pool, async (client) => {
    const run = await lockEndedRun(client, resume);
    if (budget !== undefined) await replaceBudget(client, runId, run.config, budget);
    await cancelPreparation(client, runId);
    const total = await countUnscored(client, runId);
    if (total === 0) throw new ProblemError(409, 'Every item of the run is scored; there is nothing to resume.');
    await refuseSpentBudget(client, runId);
    const generation = run.generation + 1;
    const of = { teamId, userId, resultRef: runId, parentId };
    const jobId = await createJob(client, { ...of, type: 'tool_eval', total, generation });
    await client.query(
      `UPDATE run SET job_id = $2, user_id = $3, generation = $4, status = 'pending', finished_at = NULL,
         score = NULL, delta = NULL, differs = '{}', comparison = NULL, worker_level = greatest(worker_level, $5)
       WHERE id = $1`,
      [runId, jobId, userId, generation, WORKER_LEVEL],
    );
    await planPreparation(client, runId, generation);
    const lanes = await resetTargets(client, resume);
    await admitJobs(client, userId);
    return { jobId, runId, lanes };
  });
}

interface EndedRun {
  status: JobStatus;
  config: string;
  generation: number;
  orchestration_id: string | null;
}

/** Locks the user, the providers, the targets and the run, in the order of `lockUser`. */
async function lockEndedRun(client: PoolClient, { teamId, userId, runId, parentJobId }: Resume): Promise<EndedRun> {
  await lockUser(client, userId);
  await lockProviders(
    client,
    'SELECT t.provider_id FROM target t JOIN run r ON r.id = t.run_id WHERE r.id = $1 AND r.team_id = $2',
    [runId, teamId],
  );
  await client.query(
    `SELECT 1 FROM target WHERE run_id = (SELECT id FROM run WHERE id = $1 AND team_id = $2)
     ORDER BY run_id, ordinal FOR UPDATE`,
    [runId, teamId],
  );
  const { rows } = await client.query<EndedRun>(
    'SELECT status, config, generation, orchestration_id FROM run WHERE id = $1 AND team_id = $2 FOR UPDATE',
    [runId, teamId],
  );
  const run = rows[0];
  if (!run) throw new ProblemError(404, `No run with id "${runId}" in this team.`);
  if (run.orchestration_id !== null && parentJobId === undefined)
    throw new ProblemError(409, madeBy('run', run.orchestration_id, 'Resume that one: POST /api/jobs/{id}/resume.'));
  if (!['completed', 'cancelled', 'budget_exceeded'].includes(run.status))
    throw new ProblemError(409, `The run is ${run.status}. It can be resumed when it has ended.`);
  return run;
}

async function replaceBudget(
  client: PoolClient,
  runId: string,
  config: string,
  budget: NonNullable<ResumeInput['budget']> | null,
): Promise<void> {
  await client.query('UPDATE run SET max_requests = $2, max_cost_usd = $3, config = $4 WHERE id = $1', [
    runId,
    budget?.max_requests ?? null,
    budget?.max_cost_usd ?? null,
    JSON.stringify({ ...(parseJson(config) as JsonObject), budget }),
  ]);
}

async function countUnscored(client: PoolClient, runId: string): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    'SELECT coalesce(sum(n - settled + errored), 0)::int AS n FROM target WHERE run_id = $1',
    [runId],
  );
  return rows[0]!.n;
}

async function refuseSpentBudget(client: PoolClient, runId: string): Promise<void> {
  const budget = (await readBudgets(client, [runId])).get(runId);
  const reason = budget && budgetExceeded(budget);
  if (reason)
    throw new ProblemError(
      422,
      `The budget of the run is spent: ${reason} Resume it with a larger one: {"budget": {...}}, or ` +
        'with {"budget": null}.',
      [{ path: '/budget', message: 'is spent' }],
    );
}

/** Notes the items below the cursors, for `prepareRun` to find those that have no score. */
async function planPreparation(client: PoolClient, runId: string, generation: number): Promise<void> {
  await client.query(
    `INSERT INTO preparation (run_id, target, generation, end_item, errored)
     SELECT run_id, ordinal, $2, cursor, errored FROM target WHERE run_id = $1 AND settled - errored < cursor`,
    [runId, generation],
  );
}

/**
 * Opens the targets again; errored items no longer count as settled. Their providers may have moved, so they get the
 * lanes of now. Items of a provider that was deleted end by saying so, in a lane that is made for them.
 * @returns the lanes of the targets
 */
async function resetTargets(client: PoolClient, { teamId, userId, runId }: Resume): Promise<string[]> {
  const recorded = await client.query('SELECT 1 FROM target WHERE run_id = $1 AND recorded LIMIT 1', [runId]);
  const recordedLane = recorded.rowCount ? await new LaneRepository(client, teamId).ensureRecordedLane() : null;
  const { rows } = await client.query<{ lane_id: string }>(
    `UPDATE target t SET settled = settled - errored, errored = 0, not_found = 0, unasked_why = NULL,
       summary = NULL, finished_at = NULL, user_id = $2,
       vtime = 0, lane_id = coalesce((
         SELECT coalesce(m.lane_id, p.lane_id) FROM provider p
           LEFT JOIN model m ON m.provider_id = p.id AND m.model_id = t.model_id
         WHERE p.id = t.provider_id
       ), $3, t.lane_id)
     WHERE run_id = $1 RETURNING lane_id`,
    [runId, userId, recordedLane],
  );
  await client.query(
    `INSERT INTO lane (id, team_id, name, fingerprint, max_concurrency)
     SELECT DISTINCT ON (lane_id) lane_id, $2::uuid, provider_key, 'deleted ' || lane_id, 1
     FROM target WHERE run_id = $1 ON CONFLICT DO NOTHING`,
    [runId, teamId],
  );
  return [...new Set(rows.map(({ lane_id }) => lane_id))];
}
