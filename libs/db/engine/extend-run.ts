import { ProblemError } from '#lib/contracts/input/problem';
import { isFinished, type JobStatus } from '#lib/contracts/job';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { Budget } from '#lib/contracts/run';
import { WORKER_LEVEL } from '#lib/contracts/worker-level';
import { newId } from '#lib/runtime/ids';
import type { z } from 'zod';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { admitJobs } from './admit-jobs.js';
import { createJob } from './create-job.js';
import { lockUser } from './lock-user.js';
import { lockProviders } from './move-targets.js';
import { checkItems, parentColumns, type RunParent } from './submit-run.js';

/** Of one case, over a run and all that extends it. */
export const MAX_SAMPLES_OF_CASE = 1000;

export interface Extension {
  teamId: string;
  userId: string;
  /** The run to add samples to. */
  runId: string;
  /** How many, of each case. */
  samples: number;
  /** Positions of the cases, in order; by default all that the run has. */
  positions?: number[];
  budget?: z.infer<typeof Budget> | null;
  parent?: RunParent;
}

/**
 * Adds samples to a run that has ended, as a run of its own: with its settings, its version of the suite and its
 * targets in their order. The samples are numbered on after those that are there, so no request is one that was made
 * before, and every request is sent. Results and summaries of the run itself do not change.
 *
 * @returns the new run, its job, and the lanes that it uses
 * @throws ProblemError 404; 409 while the run has not ended; 422 when it cannot be extended, or a provider is gone
 */
export async function extendRun(
  db: Pool | PoolClient,
  extension: Extension,
): Promise<{ jobId: string; runId: string; lanes: string[] }> {
  const { teamId, userId, samples, parent } = extension;
  return inTransaction(db, async (client) => {
    await lockUser(client, userId);
    await lockProviders(client, 'SELECT provider_id FROM target WHERE run_id = $1', [extension.runId]);
    const base = await lockExtensible(client, extension);
    const cases = extension.positions?.length ?? base.cases;
    const total = checkItems({ cases, samples, models: base.targets });
    const runId = newId();
    const jobId = await createJob(client, {
      teamId,
      userId,
      type: 'tool_eval',
      resultRef: runId,
      total,
      parentId: parent?.jobId,
    });
    await insertExtension(client, { runId, jobId, base }, extension);
    const lanes = await copyTargets(client, { runId, items: cases * samples, base }, extension);
    await admitJobs(client, userId);
    return { jobId, runId, lanes };
  });
}

interface ExtensibleRun {
  status: JobStatus;
  config: string;
  extendsRunId: string | null;
  /** How many, without drafts and what a filter left out. */
  cases: number;
  targets: number;
  recorded: boolean;
  /** The number of the next sample. */
  nextSample: number;
}

/** Locks the run, so that two extensions of it do not number their samples alike. */
async function lockExtensible(client: PoolClient, { teamId, runId, samples }: Extension): Promise<ExtensibleRun> {
  await client.query('SELECT 1 FROM run WHERE id = $1 AND team_id = $2 FOR UPDATE', [runId, teamId]);
  const { rows } = await client.query<ExtensibleRun>(
    `SELECT r.status, r.config, r.extends_run_id AS "extendsRunId", t.n / r.samples AS cases, t.targets, t.recorded,
       (SELECT max(first_sample + samples) FROM run WHERE id = r.id OR extends_run_id = r.id) AS "nextSample"
     FROM run r CROSS JOIN LATERAL (
       SELECT max(n) AS n, count(*)::int AS targets, bool_or(recorded) AS recorded FROM target WHERE run_id = r.id
     ) t WHERE r.id = $1 AND r.team_id = $2`,
    [runId, teamId],
  );
  const run = rows[0];
  if (!run) throw new ProblemError(404, `No run with id "${runId}" in this team.`);
  if (run.extendsRunId !== null)
    throw new ProblemError(422, `The run adds samples to another one. Add them to that one: ${run.extendsRunId}.`);
  if (run.recorded)
    throw new ProblemError(422, 'The replies of the run were made elsewhere, so no samples can be added here.');
  if (!isFinished(run.status))
    throw new ProblemError(409, `The run is ${run.status}. Samples can be added when it has ended.`);
  if (run.nextSample + samples > MAX_SAMPLES_OF_CASE)
    throw new ProblemError(
      422,
      `The run has ${run.nextSample} samples of each case, and ${MAX_SAMPLES_OF_CASE} is the most.`,
      [{ path: '/samples', message: `must be at most ${MAX_SAMPLES_OF_CASE - run.nextSample}` }],
    );
  return run;
}

async function insertExtension(
  client: PoolClient,
  { runId, jobId, base }: { runId: string; jobId: string; base: ExtensibleRun },
  { userId, runId: baseId, samples, positions, budget = null, parent }: Extension,
): Promise<void> {
  const config = { ...(parseJson(base.config) as JsonObject), samples, budget, cache: 'refresh' };
  const of = parent && parentColumns(parent);
  await client.query(
    `INSERT INTO run (id, team_id, user_id, job_id, suite_id, suite_version_id, suite_name, suite_version, status,
       config, samples, case_positions, max_requests, max_cost_usd, model_order, listed, extends_run_id, first_sample,
       orchestration_id, step, arm, worker_level)
     SELECT $2, team_id, $3, $4, suite_id, suite_version_id, suite_name, suite_version, 'pending', $5, $6,
       coalesce($7, case_positions), $8, $9, model_order, false, id, $10, $11, $12, $13, $14
     FROM run WHERE id = $1`,
    [
      baseId,
      runId,
      userId,
      jobId,
      JSON.stringify(config),
      samples,
      positions ?? null,
      budget?.max_requests ?? null,
      budget?.max_cost_usd ?? null,
      base.nextSample,
      of?.orchestration_id ?? null,
      of?.step ?? null,
      of?.arm ?? null,
      parent?.workerLevel ?? WORKER_LEVEL,
    ],
  );
}

/** @returns the lanes */
async function copyTargets(
  client: PoolClient,
  { runId, items, base }: { runId: string; items: number; base: ExtensibleRun },
  { runId: baseId, userId }: Extension,
): Promise<string[]> {
  const { rows } = await client.query<{ lane_id: string }>(
    `INSERT INTO target (run_id, ordinal, lane_id, user_id, provider_id, provider_key, model_id, params,
       system_prompt, n)
     SELECT $2, t.ordinal, coalesce(m.lane_id, p.lane_id), $3, t.provider_id, t.provider_key, t.model_id, t.params,
       t.system_prompt, $4
     FROM target t JOIN provider p ON p.id = t.provider_id
       LEFT JOIN model m ON m.provider_id = p.id AND m.model_id = t.model_id
     WHERE t.run_id = $1 RETURNING lane_id`,
    [baseId, runId, userId, items],
  );
  if (rows.length === base.targets) return [...new Set(rows.map(({ lane_id }) => lane_id))];
  throw new ProblemError(422, 'A provider of the run was deleted, so no samples can be added to it. Run it anew.');
}
