import { ProblemError } from '#lib/contracts/input/problem';
import type { RunConfig } from '#lib/contracts/run-input';
import { SUBMIT_LEVEL } from '#lib/contracts/worker-level';
import { BatchColumns } from '../connection/batch-columns.js';
import type { PoolClient } from '../connection/pool.js';
import { TRY_STEP } from '../made-by.js';
import { admitJobs } from './admit-jobs.js';
import { countWork } from './count-work.js';
import { createJobs } from './create-job.js';
import { joinExperiment } from './experiments.js';
import { lockUser } from './lock-user.js';
import { lockProviders } from './move-targets.js';

/** The purpose of a child run, unique: a parent has one run of each step and arm. */
export interface RunParent {
  orchestrationId: string;
  jobId: string;
  step: string;
  arm: string;
  /** Whether the history lists it. */
  listed: boolean;
  /** The level that a worker needs for the steps of the parent. */
  workerLevel: number;
}

/** A row of `target`, without the columns that are read once its provider is locked. */
interface NewTarget {
  providerId: string;
  providerKey: string;
  modelId: string;
  /** JSON */
  params: string;
  systemPrompt: string | null;
}

/** A row of `run`, with its targets. */
export interface NewRun {
  id: string;
  teamId: string;
  userId: string;
  /** The token that it was submitted with; null for none. */
  tokenId: string | null;
  suite: { id: string; versionId: string; name: string; version: number };
  name?: string | null | undefined;
  note?: string | null;
  config: Pick<RunConfig, 'samples' | 'budget'>;
  modelOrder: string;
  /** Positions of the cases that take part; empty: all, from 0. */
  casePositions: readonly number[];
  /** Number of items of each target. */
  items: number;
  targets: readonly NewTarget[];
  experimentId?: string | null;
  /** JSON */
  estimate?: string | null;
  firstSample?: number | undefined;
  /** The run that it adds samples to. */
  extendsRunId?: string;
  parent?: RunParent | undefined;
  isTry?: boolean | undefined;
}

const RUNS = new BatchColumns<NewRun & { jobId: string }>({
  id: ['uuid', ({ id }) => id],
  team_id: ['uuid', ({ teamId }) => teamId],
  user_id: ['uuid', ({ userId }) => userId],
  token_id: ['uuid', ({ tokenId }) => tokenId],
  job_id: ['uuid', ({ jobId }) => jobId],
  name: ['text', ({ name }) => name],
  note: ['text', ({ note }) => note],
  suite_id: ['uuid', ({ suite }) => suite.id],
  suite_version_id: ['uuid', ({ suite }) => suite.versionId],
  suite_name: ['text', ({ suite }) => suite.name],
  suite_version: ['int', ({ suite }) => suite.version],
  status: ['text', () => 'pending'],
  config: ['text', ({ config }) => JSON.stringify(config)],
  samples: ['int', ({ config }) => config.samples],
  case_positions: ['text', ({ casePositions }) => `{${casePositions.join(',')}}`],
  experiment_id: ['uuid', ({ experimentId }) => experimentId],
  max_requests: ['int', ({ config }) => config.budget?.max_requests],
  max_cost_usd: ['float8', ({ config }) => config.budget?.max_cost_usd],
  estimate: ['text', ({ estimate }) => estimate],
  model_order: ['text', ({ modelOrder }) => modelOrder],
  worker_level: ['smallint', ({ parent }) => parent?.workerLevel ?? SUBMIT_LEVEL],
  first_sample: ['smallint', ({ firstSample }) => firstSample ?? 0],
  extends_run_id: ['uuid', ({ extendsRunId }) => extendsRunId],
  orchestration_id: ['uuid', ({ parent }) => parent?.orchestrationId],
  step: ['text', ({ parent, isTry }) => (isTry ? TRY_STEP : parent?.step)],
  arm: ['text', ({ parent }) => parent?.arm],
  listed: ['bool', ({ parent, isTry, extendsRunId }) => parent?.listed ?? !(isTry || extendsRunId)],
});

const TARGETS = new BatchColumns<NewTarget & { runId: string; ordinal: number; items: number }>({
  run_id: ['uuid', ({ runId }) => runId],
  ordinal: ['smallint', ({ ordinal }) => ordinal],
  n: ['int', ({ items }) => items],
  provider_id: ['uuid', ({ providerId }) => providerId],
  provider_key: ['text', ({ providerKey }) => providerKey],
  model_id: ['text', ({ modelId }) => modelId],
  params: ['text', ({ params }) => params],
  system_prompt: ['text', ({ systemPrompt }) => systemPrompt],
});

export interface WrittenRun {
  jobId: string;
  runId: string;
  /** The lanes that its targets use. */
  lanes: string[];
  suiteVersion: number;
  /** Number of its items, of all targets. */
  items: number;
}

/**
 * Writes runs of one user: their jobs, the suite version that each pins and one row per target, and starts those whose
 * turn it is. However many runs, cases and samples there are, it takes the same few statements.
 * @param runs by ascending id
 * @throws ProblemError 422 when a provider or an experiment is gone, 409 when the team reached a quota
 */
export async function writeRuns(client: PoolClient, runs: readonly NewRun[]): Promise<WrittenRun[]> {
  if (runs.length === 0) return [];
  const { userId, teamId } = runs[0]!;
  await lockUser(client, userId);
  await lockProviders(client, '$1', [
    [...new Set(runs.flatMap(({ targets }) => targets.map(({ providerId }) => providerId)))],
  ]);
  const jobIds = await createJobs(
    client,
    runs.map((run) => ({
      teamId,
      userId,
      type: 'tool_eval',
      resultRef: run.id,
      total: run.items * run.targets.length,
      parentId: run.parent?.jobId,
      isHidden: run.isTry,
    })),
  );
  await insertRuns(
    client,
    runs.map((run, n) => ({ ...run, jobId: jobIds[n]! })),
  );
  const lanes = await insertTargets(client, runs);
  await admitJobs(client, userId);
  for (const experimentId of new Set(runs.map((run) => run.experimentId ?? null)))
    await joinExperiment(client, teamId, experimentId);
  await countWork(client, {
    teamId,
    jobIds: jobIds.filter((_id, n) => !runs[n]!.parent && !runs[n]!.isTry),
    items: runs.reduce((sum, { items, targets }) => sum + items * targets.length, 0),
    isOfParent: runs.every(({ parent }) => parent),
  });
  return runs.map((run, n) => ({
    jobId: jobIds[n]!,
    runId: run.id,
    lanes: lanes.get(run.id) ?? [],
    suiteVersion: run.suite.version,
    items: run.items * run.targets.length,
  }));
}

async function insertRuns(client: PoolClient, runs: readonly (NewRun & { jobId: string })[]): Promise<void> {
  const read = RUNS.names.replace('case_positions', 'case_positions::int[]');
  await client.query(`INSERT INTO run (${RUNS.names}) SELECT ${read} FROM ${RUNS.unnest(1)}`, RUNS.values(runs));
}

/**
 * The lanes are read here, once the providers are locked: one that moves meanwhile takes these targets with it.
 * @returns the lanes of each run
 */
async function insertTargets(client: PoolClient, runs: readonly NewRun[]): Promise<Map<string, string[]>> {
  const targets = runs.flatMap(({ id: runId, items, ...run }) =>
    run.targets.map((target, ordinal) => ({ ...target, runId, ordinal, items })),
  );
  const { rows } = await client.query<{ run_id: string; lane_id: string }>(
    `INSERT INTO target (${TARGETS.names}, user_id, lane_id)
     SELECT u.${TARGETS.names.replaceAll(', ', ', u.')}, $1, coalesce(m.lane_id, p.lane_id)
     FROM ${TARGETS.unnest(2)} JOIN provider p ON p.id = u.provider_id
       LEFT JOIN model m ON m.provider_id = p.id AND m.model_id = u.model_id
     RETURNING run_id, lane_id`,
    [runs[0]!.userId, ...TARGETS.values(targets)],
  );
  const inserted = Map.groupBy(rows, (row) => row.run_id);
  const incomplete = runs.find((run) => (inserted.get(run.id)?.length ?? 0) !== run.targets.length);
  if (incomplete) throw providerGone(incomplete);
  return new Map([...inserted].map(([id, of]) => [id, [...new Set(of.map((row) => row.lane_id))]]));
}

const providerGone = ({ extendsRunId }: NewRun): ProblemError =>
  extendsRunId === undefined
    ? new ProblemError(422, 'A provider of the run was deleted in the meantime.', [
        { path: '/models', message: 'name an existing one' },
      ]).as('provider_deleted')
    : new ProblemError(
        422,
        'A provider of the run was deleted, so no samples can be added to it. Submit a new run.',
      ).as('provider_deleted');
