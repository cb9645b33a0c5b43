import type { LogEvent } from '#lib/contracts/event';
import type { JobStatus } from '#lib/contracts/job-status';
import type { OrchestrationType } from '#lib/contracts/values/jobs';
import { auditWork } from '../audit-work.js';
import { SUBMIT_LEVEL } from '#lib/contracts/worker-level';
import { newId, newIds } from '#lib/runtime/ids';
import { insertRow } from '../connection/insert-row.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { jsonColumn } from '../connection/json-column.js';
import { admitJobs } from './admit-jobs.js';
import { countWork } from './count-work.js';
import { createJob } from './create-job.js';
import { planExtensions, type Extension } from './extend-run.js';
import { lockUser } from './lock-user.js';
import { logEvents } from './log-events.js';
import { pinSuites, planRuns, type PinnedSuites, type Submission } from './submit-run.js';
import { writeRuns, type WrittenRun } from './write-runs.js';

// An orchestration creates runs and decides based on their results. Lifecycle: its job is `pending` until its turn
// comes, then `queued`. A worker executes its next step once none of its child runs is active: it computes the step
// from stored data, without a lock, and commits it in one transaction (`commitStep`): the step's findings, its events,
// the next child runs. The first commit raises the revision; a concurrent computation of the same step then commits
// nothing. So a process may die anywhere: the step is computed again. The last step ends the job. A cancel ends it
// between two steps, with its child runs. A resume leads from the end back to `pending`, unless the orchestration has
// decided everything.

export interface NewOrchestration {
  teamId: string;
  userId: string;
  /** The token that it was submitted with, and so its child runs; null for none. */
  tokenId: string | null;
  type: OrchestrationType;
  /** A display name. */
  name?: string | null;
  /** What it belongs to, such as a gate. Omitted if it belongs to nothing else. */
  subjectId?: string;
  /** The suite version of all its child runs; omitted if each pins the current one. */
  suiteVersionId?: string;
  experimentId?: string | null;
  /** The first step. */
  step: string;
  /** The request. */
  input: object;
  /** Number of items that it plans to run. */
  total: number;
  maxRequests: number | null;
  maxCostUsd: number | null;
}

/**
 * Writes an orchestration and its job, which starts at once or waits for other jobs.
 * @throws ProblemError 409 when the team reached a quota
 */
export async function submitOrchestration(
  db: Pool | PoolClient,
  {
    teamId,
    userId,
    tokenId,
    type,
    name,
    subjectId,
    suiteVersionId,
    experimentId,
    step,
    input,
    total,
    maxRequests,
    maxCostUsd,
  }: NewOrchestration,
): Promise<{ id: string; jobId: string }> {
  return inTransaction(db, async (client) => {
    await lockUser(client, userId);
    const id = newId();
    const jobId = await createJob(client, { teamId, userId, type, resultRef: id, total });
    await insertRow(client, 'orchestration', {
      id,
      team_id: teamId,
      user_id: userId,
      token_id: tokenId,
      type,
      name: name ?? null,
      subject_id: subjectId ?? id,
      suite_version_id: suiteVersionId ?? null,
      experiment_id: experimentId ?? null,
      job_id: jobId,
      step,
      input: JSON.stringify(input),
      max_requests: maxRequests,
      max_cost_usd: maxCostUsd,
      worker_level: SUBMIT_LEVEL,
    });
    await admitJobs(client, userId);
    await countWork(client, { teamId, jobIds: [jobId], items: 0 });
    return { id, jobId };
  });
}

/** A run created by an orchestration. */
export interface ChildRun {
  id: string;
  step: string;
  arm: string;
  status: JobStatus;
  /** Why it stopped; null otherwise. */
  detail: string | null;
  /** Number of model requests made. */
  requests: number;
}

/** An orchestration in the view of its next step. */
export interface Orchestration {
  id: string;
  teamId: string;
  userId: string;
  /** The token that asked for it last; null for none. */
  tokenId: string | null;
  type: OrchestrationType;
  jobId: string;
  /** The next step. */
  step: string;
  /** Whether child runs must be resumed before that. */
  resuming: boolean;
  revision: number;
  /** As its kind stored them. */
  input: unknown;
  state: object;
  maxRequests: number | null;
  /** The level that a worker needs for its steps and its child runs. */
  workerLevel: number;
  /** In order of creation. */
  children: ChildRun[];
}

/** Maximum per team and turn, so that a team with very many does not hold up the others. */
const PER_TEAM = 5;

export interface WaitingOrchestration {
  orchestrationId: string;
  teamId: string;
  jobId: string;
}

/**
 * Orchestrations whose next step can be executed: their job was admitted, and no child run is active. This includes
 * those with child runs to resume.
 * @param kinds the kinds to look for; `waits` is SQL that has a row while such an orchestration (`o`) waits for more
 * @param except ids of the jobs to exclude
 */
export async function orchestrationsToAdvance(
  pool: Pool,
  kinds: readonly { type: OrchestrationType; waits?: string }[],
  except: readonly string[],
): Promise<WaitingOrchestration[]> {
  const types = kinds.map(({ type }) => type);
  const waits = kinds.flatMap((kind) => (kind.waits ? [` AND NOT EXISTS (${kind.waits})`] : [])).join('');
  const { rows } = await pool.query<WaitingOrchestration>({
    name: `to_advance ${types.join(' ')}`,
    text: `SELECT "orchestrationId", "teamId", "jobId" FROM (
       SELECT o.id AS "orchestrationId", o.team_id AS "teamId", o.job_id AS "jobId",
         row_number() OVER (PARTITION BY o.team_id ORDER BY o.job_id) AS n
       FROM job j JOIN orchestration o ON o.job_id = j.id
       WHERE j.type = ANY ('{${types.join(',')}}') AND j.status IN ('queued', 'running')
         AND o.worker_level <= level_of_session() AND j.id <> ALL ($1)
         AND (o.resuming OR NOT EXISTS (
           SELECT 1 FROM run r WHERE r.orchestration_id = o.id AND r.status IN ('pending', 'queued', 'running')
         )${waits})
     ) oldest
     WHERE n <= $2 ORDER BY n, "orchestrationId" LIMIT 1000`,
    values: [except, PER_TEAM],
  });
  return rows;
}

/** The lease for executing the steps of an orchestration. Cancelling it takes the lease away. */
export const leaseOfSteps = (id: string): string => `orchestrate ${id}`;

/** Undefined when it is gone, has ended, or has no step left. */
export async function readOrchestration(db: Pool | PoolClient, id: string): Promise<Orchestration | undefined> {
  const { rows } = await db.query<
    Omit<Orchestration, 'input' | 'state' | 'children'> & { input: string; state: string }
  >(
    `SELECT id, team_id AS "teamId", user_id AS "userId", token_id AS "tokenId", type, job_id AS "jobId",
       step, resuming, revision, input, state, max_requests AS "maxRequests", worker_level AS "workerLevel"
     FROM orchestration o
     WHERE id = $1 AND step IS NOT NULL
       AND EXISTS (SELECT 1 FROM job WHERE id = o.job_id AND status IN ('queued', 'running'))`,
    [id],
  );
  if (!rows[0]) return undefined;
  const { input, state, ...row } = rows[0];
  return {
    ...row,
    input: jsonColumn(input),
    state: jsonColumn<object>(state),
    children: await readChildRuns(db, id),
  };
}

async function readChildRuns(db: Pool | PoolClient, id: string): Promise<ChildRun[]> {
  const { rows } = await db.query<ChildRun>(
    `SELECT r.id, r.step, r.arm, r.status, j.detail,
       (SELECT coalesce(sum(requests), 0)::int FROM target WHERE run_id = r.id) AS requests
     FROM run r JOIN job j ON j.id = r.job_id WHERE r.orchestration_id = $1 ORDER BY r.id`,
    [id],
  );
  return rows;
}

/** A child run to create: of a suite, or with additional samples of a run. */
export type NewChildRun = {
  step: string;
  arm: string;
  /** Whether the history lists it; false by default. */
  listed?: boolean;
} & (
  | { submit: Pick<Submission, 'suiteId' | 'input' | 'targets' | 'estimate' | 'of'> }
  | { extend: Pick<Extension, 'runId' | 'samples' | 'positions'> }
);

/** The effects of a step, all in one transaction. */
export interface Step {
  /** The new state. */
  state: object;
  /** The next step, also the one a resume starts with; null when there is nothing left to do, for good. */
  next: string | null;
  children?: NewChildRun[];
  events?: LogEvent[];
  /** Additional writes. */
  store?: (client: PoolClient) => Promise<void>;
  end?: OrchestrationEnd;
}

export type OrchestrationEnd =
  { status: 'completed' } | { status: 'budget_exceeded'; detail: string } | { status: 'failed'; error: string };

/**
 * Commits a step, once: nothing happens when another process has committed it, or the job was cancelled.
 * @returns the lanes that have work now; undefined when nothing happened
 * @throws ProblemError when a child run cannot be created
 */
export async function commitStep(pool: Pool, orchestration: Orchestration, step: Step): Promise<string[] | undefined> {
  const { jobId, userId } = orchestration;
  const { events = [], store, end } = step;
  const children = readChildren(orchestration, step.children ?? []);
  return inTransaction(pool, async (client) => {
    await client.query(`SET LOCAL lock_timeout = '5s'`);
    const pinned = await pinSuites(client, children.submissions);
    await lockUser(client, userId);
    if (!(await raiseRevision(client, orchestration, step))) return undefined;
    await store?.(client);
    const made = await makeChildren(client, children, pinned);
    if (made.length) await auditChildren(client, orchestration, step, made);
    await client.query(
      `UPDATE job SET status = 'running', started_at = coalesce(started_at, now()), detail = NULL WHERE id = $1`,
      [jobId],
    );
    await logEvents(client, jobId, events);
    if (end) await endJob(client, orchestration, end);
    return [...new Set(made.flatMap(({ lanes }) => lanes))];
  });
}

/** One entry for all runs of a step, however many they are. */
const auditChildren = (
  client: PoolClient,
  { id, teamId, jobId }: Orchestration,
  { children }: Step,
  made: readonly WrittenRun[],
): Promise<void> =>
  auditWork(client, teamId, 'run.make', id, {
    after: { runs: made.length, step: children![0]!.step, ...(made.length === 1 && { run: made[0]!.runId }) },
    cause: `job ${jobId}`,
  });

/** @returns whether this step is the next one and its job is still active */
async function raiseRevision(
  client: PoolClient,
  { id, jobId, revision }: Orchestration,
  { state, next }: Step,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `UPDATE orchestration SET state = $4, step = $5, revision = revision + 1
     WHERE id = $1 AND job_id = $2 AND revision = $3
       AND EXISTS (SELECT 1 FROM job WHERE id = $2 AND status IN ('queued', 'running'))`,
    [id, jobId, revision, JSON.stringify(state), next],
  );
  return rowCount === 1;
}

interface Children {
  submissions: Parameters<typeof planRuns>[1][number][];
  extensions: Parameters<typeof planExtensions>[1][number][];
}

/** Gives child runs their ids. */
function readChildren(
  { id: orchestrationId, teamId, userId, tokenId, jobId, workerLevel }: Orchestration,
  children: readonly NewChildRun[],
): Children {
  const ids = newIds(children.length);
  const [submissions, extensions]: [Children['submissions'], Children['extensions']] = [[], []];
  for (const [n, { step, arm, listed = false, ...child }] of children.entries()) {
    const parent = { orchestrationId, jobId, step, arm, listed, workerLevel };
    const of = { id: ids[n]!, teamId, userId, tokenId, parent };
    if ('extend' in child) extensions.push({ ...of, ...child.extend });
    else submissions.push({ ...of, ...child.submit });
  }
  return { submissions, extensions };
}

async function makeChildren(
  client: PoolClient,
  { submissions, extensions }: Children,
  pinned: PinnedSuites,
): Promise<WrittenRun[]> {
  const runs = [...(await planRuns(client, submissions, pinned)), ...(await planExtensions(client, extensions))];
  return writeRuns(
    client,
    runs.sort((a, b) => (a.id < b.id ? -1 : 1)),
  );
}

async function endJob(
  client: PoolClient,
  { id, teamId, jobId, userId }: Orchestration,
  end: OrchestrationEnd,
): Promise<void> {
  const detail = end.status === 'budget_exceeded' ? end.detail : null;
  const error = end.status === 'failed' ? end.error : null;
  await client.query(
    `UPDATE job SET status = $2, detail = $3, error = $4, finished_at = now(),
       total = (SELECT coalesce(sum(total), 0)::int FROM job c WHERE c.parent_id = job.id)
     WHERE id = $1`,
    [jobId, end.status, detail, error],
  );
  await logEvents(client, jobId, [endEvent(id, end)]);
  if (end.status === 'budget_exceeded')
    await auditWork(client, teamId, 'job.stop', jobId, { after: { parent: id }, cause: end.detail });
  await admitJobs(client, userId);
}

function endEvent(id: string, end: OrchestrationEnd): LogEvent {
  if (end.status === 'failed')
    return { name: 'job_failed', data: { status: end.status, result_ref: id, error: end.error } };
  const detail = end.status === 'budget_exceeded' ? { detail: end.detail } : {};
  return { name: 'job_completed', data: { status: end.status, result_ref: id, ...detail } };
}
