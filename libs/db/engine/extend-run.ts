import { notFound, ProblemError } from '#lib/contracts/input/problem';
import { isFinished } from '#lib/contracts/values/jobs';
import type { JobStatus } from '#lib/contracts/job-status';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { Budget } from '#lib/contracts/run-input';
import { newId } from '#lib/runtime/ids';
import type { z } from 'zod';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { HAS_NO_DELETED_PARENT } from '../made-by.js';
import { lockUser } from './lock-user.js';
import { lockProviders } from './move-targets.js';
import { checkItems } from './submit-run.js';
import { writeRuns, type NewRun, type RunParent, type WrittenRun } from './write-runs.js';

/** Maximum of one case, over a run and all its extensions. */
const MAX_SAMPLES_OF_CASE = 1000;

export interface Extension {
  teamId: string;
  userId: string;
  tokenId: string | null;
  /** The run to add samples to. */
  runId: string;
  /** Number of samples to add to each case. */
  samples: number;
  /** Positions of the cases, in order; by default all of the run. */
  positions?: number[];
  budget?: z.infer<typeof Budget> | null;
  parent?: RunParent;
}

/**
 * Adds samples to a run that has ended, as a separate run with the same settings, version of the suite and targets in
 * the same order. Numbering of the samples continues after the existing ones, so no request repeats an earlier one, and
 * every request is sent. Results and summaries of the run itself do not change.
 *
 * @returns the new run, its job, and the lanes that it uses
 * @throws ProblemError 404; 409 while the run has not ended; 422 when it cannot be extended, or a provider is gone
 */
export async function extendRun(db: Pool | PoolClient, extension: Extension): Promise<WrittenRun> {
  return inTransaction(db, async (client) => {
    const [written] = await writeRuns(client, await planExtensions(client, [{ ...extension, id: newId() }]));
    return written!;
  });
}

/**
 * The rows to write for extensions of runs of one team, after reading the runs. Locks the user, the providers and the
 * runs.
 * @param extensions with the ids of the new runs
 * @throws ProblemError as `extendRun` does
 */
export async function planExtensions(
  client: PoolClient,
  extensions: readonly (Extension & { id: string })[],
): Promise<NewRun[]> {
  if (extensions.length === 0) return [];
  const { teamId, userId } = extensions[0]!;
  const baseIds = [...new Set(extensions.map(({ runId }) => runId))];
  await lockUser(client, userId);
  await lockProviders(client, 'SELECT provider_id FROM target WHERE run_id = ANY ($1)', [baseIds]);
  const bases = await lockBases(client, teamId, baseIds);
  return extensions.map((extension): NewRun => {
    const { id, tokenId, runId, samples, positions, budget = null, parent } = extension;
    const base = bases.get(runId);
    if (!base) throw notFound('run', runId);
    refuse(base, samples);
    const cases = positions?.length ?? base.cases;
    checkItems({ cases, samples, models: base.targets.length });
    const firstSample = base.nextSample;
    base.nextSample += samples;
    const { casePositions, config, suite, targets, modelOrder } = base;
    return {
      ...{ id, teamId, userId, tokenId, suite, targets, modelOrder, parent, firstSample },
      config: { ...config, ...{ samples, budget, cache: 'refresh' } },
      casePositions: positions ?? casePositions,
      items: cases * samples,
      extendsRunId: runId,
    };
  });
}

interface ExtensibleRun extends Pick<NewRun, 'suite' | 'casePositions' | 'targets' | 'modelOrder'> {
  status: JobStatus;
  config: JsonObject;
  extendsRunId: string | null;
  /** Number of cases, without drafts and those excluded by a filter. */
  cases: number;
  recorded: boolean;
  /** The number of the next sample. */
  nextSample: number;
}

/** Locks the runs, so that two extensions of one do not use the same sample numbers. */
async function lockBases(
  client: PoolClient,
  teamId: string,
  runIds: readonly string[],
): Promise<Map<string, ExtensibleRun>> {
  await client.query('SELECT 1 FROM run WHERE id = ANY ($1) AND team_id = $2 ORDER BY id FOR NO KEY UPDATE', [
    runIds,
    teamId,
  ]);
  const { rows } = await client.query<Omit<ExtensibleRun, 'config'> & { id: string; config: string }>(
    `SELECT r.id, r.status, r.config, r.extends_run_id AS "extendsRunId", r.case_positions AS "casePositions",
       r.model_order AS "modelOrder",
       json_build_object('id', suite_id, 'versionId', suite_version_id, 'name', suite_name, 'version', suite_version)
         AS suite,
       t.n / r.samples AS cases, t.targets, t.recorded,
       (SELECT max(first_sample + samples) FROM run WHERE id = r.id OR extends_run_id = r.id) AS "nextSample"
     FROM run r CROSS JOIN LATERAL (
       SELECT max(n) AS n, bool_or(recorded) AS recorded, json_agg(json_build_object('providerId', provider_id,
         'providerKey', provider_key, 'modelId', model_id, 'params', params, 'systemPrompt', system_prompt
       ) ORDER BY ordinal) AS targets FROM target WHERE run_id = r.id
     ) t WHERE r.id = ANY ($1) AND r.team_id = $2 AND ${HAS_NO_DELETED_PARENT}`,
    [runIds, teamId],
  );
  return new Map(rows.map(({ id, config, ...run }) => [id, { ...run, config: parseJson(config) as JsonObject }]));
}

/** @throws ProblemError 409, 422 */
function refuse({ extendsRunId, recorded, status, nextSample }: ExtensibleRun, samples: number): void {
  if (extendsRunId !== null)
    throw new ProblemError(422, 'The run adds samples to another one. Add them to that one.').as('adds_samples', {
      run_id: extendsRunId,
    });
  if (recorded)
    throw new ProblemError(422, 'The replies of the run were recorded elsewhere, so no samples can be added here.').as(
      'replies_recorded',
    );
  if (!isFinished(status))
    throw new ProblemError(409, `The run is ${status}. Samples can be added when it has ended.`).as('run_unfinished', {
      status,
    });
  if (nextSample + samples > MAX_SAMPLES_OF_CASE)
    throw new ProblemError(
      422,
      `The run has ${nextSample} samples of each case, and the maximum is ${MAX_SAMPLES_OF_CASE}.`,
      [{ path: '/samples', message: `must be at most ${MAX_SAMPLES_OF_CASE - nextSample}` }],
    ).as('samples_limit', {
      samples: nextSample,
      limit: MAX_SAMPLES_OF_CASE,
      remaining: MAX_SAMPLES_OF_CASE - nextSample,
    });
}
