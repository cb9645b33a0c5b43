import { ProblemError } from '#lib/contracts/input/problem';
import type { Estimate } from '#lib/contracts/estimate';
import type { RunConfig, RunInput } from '#lib/contracts/run';
import { WORKER_LEVEL } from '#lib/contracts/worker-level';
import { newId } from '#lib/runtime/ids';
import { NOT_DRAFT } from '../catalogue/case-pages.js';
import { lockProviders } from './move-targets.js';
import { BatchColumns } from '../connection/batch-columns.js';
import { insertRow } from '../connection/insert-row.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { TRY_STEP } from '../made-by.js';
import { admitJobs } from './admit-jobs.js';
import { createJob } from './create-job.js';
import { joinExperiment } from './experiments.js';
import { lockUser } from './lock-user.js';
import { noCases, pinSuiteVersion, readPinned, type PinnedSuite } from './pin-suite-version.js';

export interface ResolvedTarget {
  providerId: string;
  providerKey: string;
  modelId: string;
  laneId: string;
  /** Whether what the model costs is known: it has prices, or its provider said lately what it bills. */
  priced: boolean;
  params: unknown;
  systemPrompt: string | null;
}

export interface Submission {
  teamId: string;
  userId: string;
  suiteId: string;
  input: RunInput & Pick<RunConfig, 'metrics' | 'cache' | 'max_tokens'>;
  targets: ResolvedTarget[];
  estimate?: Estimate;
  /** Of a child run. */
  parent?: RunParent;
  /** Of a child run: what it takes instead of the cases that its filter leaves in the present version of the suite. */
  of?: PinnedItems;
  /** It tries a case out: it begins at once, and nobody sees it. */
  isTry?: boolean;
}

/** Samples of some cases of a version of a suite. */
export interface PinnedItems {
  suiteVersionId: string;
  /** In ascending order. */
  positions: number[];
  /** The number of the first sample, so that it is a new request where the case has been asked before. */
  firstSample: number;
  /** The version belongs to the parent, or to the run that tries a case out, and no suite has it. */
  isOwn?: boolean;
}

/** What a child run was made for, once: a parent has one run of each step and arm. */
export interface RunParent {
  orchestrationId: string;
  jobId: string;
  step: string;
  arm: string;
  /** Whether the history shows it. */
  listed: boolean;
  /** That a worker needs for the steps of the parent. */
  workerLevel: number;
}

/**
 * Writes a run: its job, the suite version that it pins and one row per target. However many items it has, that is
 * a few rows.
 *
 * A run and its job live like this. Both are `pending` until the user has fewer jobs running than the team allows,
 * then `queued` (`admitJobs`). A resumed run is prepared while it is queued (`prepareRun`). Then its targets become
 * active, and the dispatcher takes items of them; with its first item the run is `running` (`dispatchLane`). When
 * every item of a target is settled, the target gets its summary; when every target has one, the run is `completed`
 * (`finishTarget`, `finishRun`). On the way it may be `cancelled` (`cancelJob`) or `budget_exceeded`
 * (`stopIfOverBudget`). From each of these three ends a resume leads back to `pending`, with a new job and the next
 * generation (`resumeRun`).
 *
 * @throws ProblemError 422 when the suite is gone, has no case left, or makes too many items, and when a provider is
 *   or the experiment is gone
 */
export async function submitRun(
  pool: Pool | PoolClient,
  submission: Submission,
): Promise<{ jobId: string; runId: string }> {
  const { teamId, userId, suiteId, input, targets } = submission;
  return inTransaction(pool, async (client) => {
    const runId = newId();
    const { suiteVersionId, isOwn } = submission.of ?? {};
    const suite = isOwn
      ? await readPinned(client, suiteVersionId!)
      : await pinSuiteVersion(client, teamId, suiteId, suiteVersionId);
    const positions = submission.of?.positions ?? (await selectCases(client, suite, input.case_filter));
    const itemsPerTarget = positions.length * input.samples;
    const total = checkItems({ cases: positions.length, samples: input.samples, models: targets.length });
    const jobId = await createJob(client, {
      teamId,
      userId,
      type: 'tool_eval',
      resultRef: runId,
      total,
      parentId: submission.parent?.jobId,
      isHidden: submission.isTry,
    });
    await insertRun(client, { runId, jobId, suite, positions }, submission);
    await lockUser(client, userId);
    await lockProviders(client, '$1', [targets.map((target) => target.providerId)]);
    await insertTargets(client, runId, userId, itemsPerTarget, targets);
    await admitJobs(client, userId);
    await joinExperiment(client, teamId, input.experiment_id);
    return { jobId, runId };
  });
}

/** Items are counted in columns of type integer. */
const MAX_ITEMS = 2 ** 31 - 1;

/**
 * @returns how many items a run has
 * @throws ProblemError 422 when they are too many
 */
export function checkItems({ cases, samples, models }: { cases: number; samples: number; models: number }): number {
  const items = cases * samples * models;
  if (items <= MAX_ITEMS) return items;
  throw new ProblemError(
    422,
    `${cases} cases x ${samples} samples x ${models} models are ${items} items, ` +
      `and a run may have ${MAX_ITEMS}. Ask for fewer samples or models, or for some of the cases ` +
      'with case_filter.',
    [{ path: samples > 1 ? '/samples' : '/models', message: 'is too much for so many cases' }],
  );
}

async function insertRun(
  client: PoolClient,
  run: { runId: string; jobId: string; suite: PinnedSuite; positions: number[] },
  { teamId, userId, suiteId, input, estimate, parent, of, isTry }: Submission,
): Promise<void> {
  const { suite_id: _suite, models: _models, experiment_id: experimentId, name, note, ...config } = input;
  await insertRow(client, 'run', {
    id: run.runId,
    team_id: teamId,
    user_id: userId,
    job_id: run.jobId,
    name: name ?? null,
    note: note || null,
    suite_id: suiteId,
    suite_version_id: run.suite.versionId,
    suite_name: run.suite.name,
    suite_version: run.suite.version,
    status: 'pending',
    config: JSON.stringify(config satisfies RunConfig),
    samples: input.samples,
    // Those of a version that belongs to a parent need not be all from 0.
    case_positions: run.positions.length === run.suite.caseCount && !of?.isOwn ? [] : run.positions,
    experiment_id: experimentId,
    max_requests: input.budget?.max_requests ?? null,
    max_cost_usd: input.budget?.max_cost_usd ?? null,
    estimate: estimate ? JSON.stringify(estimate) : null,
    model_order: input.model_order,
    worker_level: parent?.workerLevel ?? WORKER_LEVEL,
    ...(of && { first_sample: of.firstSample }),
    ...(parent && parentColumns(parent)),
    ...(isTry && { step: TRY_STEP, listed: false }),
  });
}

export const parentColumns = ({ orchestrationId, step, arm, listed }: RunParent) => ({
  orchestration_id: orchestrationId,
  step,
  arm,
  listed,
});

const TARGETS = new BatchColumns<ResolvedTarget>({
  provider_id: ['uuid', (target) => target.providerId],
  provider_key: ['text', (target) => target.providerKey],
  model_id: ['text', (target) => target.modelId],
  params: ['text', (target) => JSON.stringify(target.params)],
  system_prompt: ['text', (target) => target.systemPrompt],
});

/** The lanes are read here, once the providers are locked: one that moves meanwhile takes these targets with it. */
async function insertTargets(
  client: PoolClient,
  runId: string,
  userId: string,
  itemsPerTarget: number,
  targets: ResolvedTarget[],
): Promise<void> {
  const { rowCount } = await client.query(
    `INSERT INTO target (run_id, ordinal, lane_id, user_id, provider_id, provider_key, model_id, params,
       system_prompt, n)
     SELECT $1, u.ordinal - 1, coalesce(m.lane_id, p.lane_id), $2, u.provider_id, u.provider_key, u.model_id, u.params,
       u.system_prompt, $3
     FROM ${TARGETS.unnest(4, 'ordinal')} JOIN provider p ON p.id = u.provider_id
       LEFT JOIN model m ON m.provider_id = p.id AND m.model_id = u.model_id`,
    [runId, userId, itemsPerTarget, ...TARGETS.values(targets)],
  );
  if (rowCount !== targets.length)
    throw new ProblemError(422, 'A provider of the run was deleted just now.', [
      { path: '/models', message: 'name one that is there' },
    ]);
}

/** Positions of the cases that take part: those that the filter leaves, without drafts. */
async function selectCases(client: PoolClient, suite: PinnedSuite, filter: RunInput['case_filter']): Promise<number[]> {
  const { rows } = await client.query<{ position: number }>(
    `SELECT position FROM suite_version_case
     WHERE version_id = $1 AND ($2::text[] IS NULL OR tags && $2) AND ($3::text IS NULL OR category = $3)
       AND ${NOT_DRAFT}
     ORDER BY position`,
    [suite.versionId, filter?.tags?.length ? filter.tags : null, filter?.category ?? null],
  );
  if (rows.length) return rows.map((row) => row.position);
  if (suite.caseCount === 0) throw noCases(suite);
  throw filter
    ? new ProblemError(422, 'The case filter leaves no test case.', [
        { path: '/case_filter', message: 'matches no case of the suite' },
      ])
    : new ProblemError(
        422,
        `All test cases of the suite "${suite.name}" are drafts. Look at them, and take "draft" away ` +
          'where they are right.',
      );
}
