import type { JobStatus } from '#lib/contracts/job-status';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import type { ResumeInput, RunConfig } from '#lib/contracts/run-input';
import { SUBMIT_LEVEL } from '#lib/contracts/worker-level';
import { LaneRepository } from '../catalogue/lanes.js';
import { lockProviders } from './move-targets.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { admitJobs } from './admit-jobs.js';
import { countWork } from './count-work.js';
import { createJobs } from './create-job.js';
import { lockUser } from './lock-user.js';
import { partOfJob } from '../made-by.js';
import { cancelPreparations } from './prepare-run.js';
import { budgetExceeded, readBudgets } from './run-budget.js';

interface Resume extends ResumeInput {
  teamId: string;
  userId: string;
  /** The token that it is resumed with, whose cap then counts; null for none. */
  tokenId: string | null;
  runId: string;
}

/**
 * Resumes a run that has ended, with its unscored items: those that errored and those that are missing. Scored items
 * stay, and are not paid for again. The run continues under a new job, in its next generation.
 *
 * However large the run, this writes a few rows; `prepareRun` scans the items afterwards. Log entries of errored items
 * stay in the log of the earlier job, while their results are replaced by new ones. Their exchanges stay until new ones
 * replace them: if a model had replied, its reply is scored without a request. A recorded run makes no request either
 * way.
 *
 * @returns also the number of items that it goes on with, and the earlier budget if that was replaced
 * @throws ProblemError 404, 409 when there is nothing to resume, its parent has to be, or the team reached a quota, 422
 *   when the budget is spent
 */
export async function resumeRun(
  pool: Pool | PoolClient,
  resume: Resume,
): Promise<{ jobId: string; runId: string; lanes: string[]; items: number; earlierBudget: ResumeInput['budget'] }> {
  const { teamId, userId, tokenId, runId, budget } = resume;
  return inTransaction(pool, async (client) => {
    const [run] = await lockRuns(client, { teamId, userId, runIds: [runId] });
    if (!run) throw notFound('run', runId);
    if (run.parent !== null) throw partOfJob('run', run.parent, 'Resume that one.');
    if (!hasEnded(run))
      throw new ProblemError(409, `The run is ${run.status}. It can be resumed when it has ended.`).as(
        'run_unfinished',
        {
          run_id: runId,
          status: run.status,
        },
      );
    const earlierBudget = budget === undefined ? undefined : await replaceBudget(client, run, budget);
    if (run.unscored === 0)
      throw new ProblemError(409, 'Every item of the run is scored, so there is nothing to resume.').as(
        'nothing_to_resume',
        { run_id: runId },
      );
    await passToToken(client, [runId], tokenId);
    await refuseSpentBudget(client, runId);
    const { jobIds, lanes } = await reopenRuns(client, { teamId, userId }, [run]);
    return { jobId: jobIds[0]!, runId, lanes, items: run.unscored, earlierBudget };
  });
}

/**
 * Resumes those of these child runs that have ended and lack scores, in a few statements.
 * @param parentJobId the new job of their parent, which is being resumed
 * @returns the lanes that they use
 */
export async function resumeRuns(
  client: PoolClient,
  {
    parentJobId,
    tokenId,
    ...of
  }: Pick<Resume, 'teamId' | 'userId' | 'tokenId'> & {
    runIds: readonly string[];
    parentJobId: string;
  },
): Promise<string[]> {
  const runs = (await lockRuns(client, of)).filter((run) => hasEnded(run) && run.unscored > 0);
  if (runs.length === 0) return [];
  await passToToken(
    client,
    runs.map(({ id }) => id),
    tokenId,
  );
  return (await reopenRuns(client, { ...of, parentJobId }, runs)).lanes;
}

/** The cap of the token that resumes a run counts from then on, and no longer that of the one before it. */
async function passToToken(client: PoolClient, runIds: readonly string[], tokenId: string | null): Promise<void> {
  await client.query('UPDATE run SET token_id = $2 WHERE id = ANY ($1)', [runIds, tokenId]);
}

interface LockedRun {
  id: string;
  status: JobStatus;
  config: string;
  generation: number;
  /** The parent of a child run. */
  parent: string | null;
  /** Number of items without a score. */
  unscored: number;
}

const hasEnded = ({ status }: LockedRun): boolean => ['completed', 'cancelled', 'budget_exceeded'].includes(status);

/** Locks the user, the providers, the targets and the runs, in the order of `lockUser`. */
async function lockRuns(
  client: PoolClient,
  { teamId, userId, runIds }: { teamId: string; userId: string; runIds: readonly string[] },
): Promise<LockedRun[]> {
  await lockUser(client, userId);
  await lockProviders(
    client,
    'SELECT t.provider_id FROM target t JOIN run r ON r.id = t.run_id WHERE r.id = ANY ($1) AND r.team_id = $2',
    [runIds, teamId],
  );
  await client.query(
    `SELECT 1 FROM target WHERE run_id IN (SELECT id FROM run WHERE id = ANY ($1) AND team_id = $2)
     ORDER BY run_id, ordinal FOR NO KEY UPDATE`,
    [runIds, teamId],
  );
  const { rows } = await client.query<LockedRun>(
    `SELECT id, status, config, generation, orchestration_id AS parent, (
       SELECT coalesce(sum(n - settled + errored), 0)::int FROM target WHERE run_id = run.id
     ) AS unscored
     FROM run WHERE id = ANY ($1) AND team_id = $2 ORDER BY id FOR NO KEY UPDATE`,
    [runIds, teamId],
  );
  return rows;
}

/** Reopens runs that the caller has locked: under new jobs, in their next generations. */
async function reopenRuns(
  client: PoolClient,
  { teamId, userId, parentJobId: parentId }: { teamId: string; userId: string; parentJobId?: string },
  runs: readonly LockedRun[],
): Promise<{ jobIds: string[]; lanes: string[] }> {
  const runIds = runs.map(({ id }) => id);
  await cancelPreparations(client, runIds);
  const jobIds = await createJobs(
    client,
    runs.map(({ id, unscored, generation }) => ({
      ...{ teamId, userId, resultRef: id, parentId },
      type: 'tool_eval',
      total: unscored,
      generation: generation + 1,
    })),
  );
  await client.query(
    `UPDATE run SET job_id = u.job_id, user_id = $3, generation = generation + 1, status = 'pending',
       finished_at = NULL, score = NULL, cost_usd = NULL, errored_share = NULL, delta = NULL, differs = '{}',
       comparison = NULL, worker_level = greatest(worker_level, $4)
     FROM unnest($1::uuid[], $2::uuid[]) AS u (id, job_id) WHERE run.id = u.id`,
    [runIds, jobIds, userId, SUBMIT_LEVEL],
  );
  await planPreparation(client, runIds);
  const lanes = await resetTargets(client, { teamId, userId, runIds });
  await admitJobs(client, userId);
  // Items of child runs are counted at once, when their parent is resumed.
  const items = runs.reduce((sum, { unscored }) => sum + unscored, 0);
  if (parentId === undefined) await countWork(client, { teamId, jobIds, items });
  return { jobIds, lanes };
}

/** @returns the earlier one */
async function replaceBudget(
  client: PoolClient,
  { id, config }: LockedRun,
  budget: RunConfig['budget'],
): Promise<RunConfig['budget']> {
  const earlier = parseJson(config) as JsonObject & Pick<RunConfig, 'budget'>;
  await client.query('UPDATE run SET max_requests = $2, max_cost_usd = $3, config = $4 WHERE id = $1', [
    id,
    budget?.max_requests ?? null,
    budget?.max_cost_usd ?? null,
    JSON.stringify({ ...earlier, budget }),
  ]);
  return earlier.budget;
}

/** @throws ProblemError 422 when the budget of a run, or of its parent, is spent */
export async function refuseSpentBudget(client: PoolClient, runId: string): Promise<void> {
  const budget = (await readBudgets(client, [runId])).get(runId);
  // `countWork` refuses what a team cannot store.
  const reason = budget && budgetExceeded({ ...budget, isStorageFull: false });
  if (reason)
    throw new ProblemError(
      422,
      `The budget of the run is spent: ${reason} Resume it with a larger one, or with none.`,
      [{ path: '/budget', message: 'is spent' }],
    ).as('budget_spent', { run_id: runId });
}

/** Records the items below the cursors, in which `prepareRun` finds those without a score. */
async function planPreparation(client: PoolClient, runIds: readonly string[]): Promise<void> {
  await client.query(
    `INSERT INTO preparation (run_id, target, generation, end_item, errored)
     SELECT t.run_id, t.ordinal, r.generation, t.cursor, t.errored FROM target t JOIN run r ON r.id = t.run_id
     WHERE t.run_id = ANY ($1) AND t.settled - t.errored < t.cursor`,
    [runIds],
  );
}

/**
 * Reopens the targets; errored items no longer count as settled. Their providers may have moved, so they get the
 * current lanes. Items of a deleted provider end with an error that says so, in a lane created for them.
 * @returns the lanes of the targets
 */
async function resetTargets(
  client: PoolClient,
  { teamId, userId, runIds }: { teamId: string; userId: string; runIds: readonly string[] },
): Promise<string[]> {
  const recorded = await client.query('SELECT 1 FROM target WHERE run_id = ANY ($1) AND recorded LIMIT 1', [runIds]);
  const recordedLane = recorded.rowCount ? await new LaneRepository(client, teamId).ensureRecordedLane() : null;
  const { rows } = await client.query<{ lane_id: string }>(
    `UPDATE target t SET settled = settled - errored, errored = 0, not_found = 0, unasked_why = NULL,
       summary = NULL, finished_at = NULL, user_id = $2,
       vtime = 0, lane_id = coalesce((
         SELECT coalesce(m.lane_id, p.lane_id) FROM provider p
           LEFT JOIN model m ON m.provider_id = p.id AND m.model_id = t.model_id
         WHERE p.id = t.provider_id
       ), CASE WHEN t.recorded THEN $3::uuid END, t.lane_id)
     WHERE run_id = ANY ($1) RETURNING lane_id`,
    [runIds, userId, recordedLane],
  );
  await client.query(
    `INSERT INTO lane (id, team_id, name, fingerprint, max_concurrency)
     SELECT DISTINCT ON (lane_id) lane_id, $2::uuid, provider_key, 'deleted ' || lane_id, 1
     FROM target WHERE run_id = ANY ($1) ON CONFLICT DO NOTHING`,
    [runIds, teamId],
  );
  return [...new Set(rows.map(({ lane_id }) => lane_id))];
}
