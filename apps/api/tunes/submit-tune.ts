import type { z } from 'zod';
import { ProblemError } from '#lib/contracts/input/problem';
import type { Budget } from '#lib/contracts/run-input';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import type { PoolClient } from '#lib/db/connection/pool';
import { joinExperiment } from '#lib/db/engine/experiments';
import { submitOrchestration } from '#lib/db/engine/orchestrations';
import { pinSuiteVersion } from '#lib/db/engine/pin-suite-version';
import { deleteOrchestrations } from '#lib/db/upkeep/delete-parents';
import type { TuneStep } from '#lib/tuning/tune-step';

type TuneType = 'param_tune' | 'prompt_tune';

interface NewTune {
  type: TuneType;
  input: {
    name: string | null;
    experiment_id: string | null;
    models: readonly string[];
    mode: string;
    budget: z.infer<typeof Budget> | null;
  };
  /** The suite as it was when the tune was planned. */
  suite: { id: string; version: number };
  /** Total number of requests. */
  planned: number;
  /** The input to store. @param suite the version that its runs use */
  stored: (suite: { id: string; versionId: string; name: string; version: number }) => object;
  /** Stores further rows of the tune. */
  store?: (tuneId: string) => Promise<void>;
}

/** @throws ProblemError 409 when the suite was changed meanwhile */
export async function submitTune(
  client: PoolClient,
  caller: Caller,
  { type, input, suite, planned, stored, store }: NewTune,
): Promise<{ job_id: string; tune_id: string; status: 'submitted' }> {
  const { teamId, userId, tokenId } = caller;
  const { versionId, name, version } = await pinSuiteVersion(client, teamId, suite.id);
  if (version !== suite.version) {
    throw new ProblemError(409, 'The suite has changed. Submit the tune again.').as('suite_changed');
  }
  const { id, jobId } = await submitOrchestration(client, {
    teamId,
    userId,
    tokenId,
    type,
    name: input.name,
    suiteVersionId: versionId,
    experimentId: input.experiment_id,
    step: 'search' satisfies TuneStep,
    input: stored({ id: suite.id, versionId, name, version }),
    total: planned,
    maxRequests: input.budget?.max_requests ?? null,
    maxCostUsd: input.budget?.max_cost_usd ?? null,
  });
  await store?.(id);
  await joinExperiment(client, teamId, input.experiment_id);
  const { models, mode, budget, experiment_id } = input;
  await audit(client, caller, `${type}.submit`, id, {
    after: {
      name: input.name,
      suite_id: suite.id,
      suite_version: version,
      models,
      mode,
      planned,
      budget,
      experiment_id,
    },
  });
  return { job_id: jobId, tune_id: id, status: 'submitted' };
}

/** Names an existing tune. */
export async function labelTune(client: PoolClient, caller: Caller, type: TuneType, id: string, name: string | null) {
  const { rows } = await client.query<{ name: string | null }>(
    `UPDATE orchestration o SET name = $3
     FROM (SELECT id, name FROM orchestration WHERE id = $1 AND team_id = $2 FOR NO KEY UPDATE) earlier
     WHERE o.id = earlier.id RETURNING earlier.name`,
    [id, caller.teamId, name],
  );
  await audit(client, caller, `${type}.label`, id, { before: rows[0], after: { name } });
}

/** Deletes an existing tune. @throws ProblemError 409 while it is in progress */
export async function deleteTune(client: PoolClient, caller: Caller, type: TuneType, id: string): Promise<void> {
  const outcome = await deleteOrchestrations(client, { teamId: caller.teamId, subjectId: id });
  if (outcome === 'unfinished')
    throw new ProblemError(409, 'The tune is not finished. Cancel it first.').as('job_unfinished', { tune_id: id });
  const [before] = outcome.map(({ id: _id, ...tune }) => tune);
  await audit(client, caller, `${type}.delete`, id, { before });
}
