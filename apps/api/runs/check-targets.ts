import { findReservedParams } from '#lib/contracts/params';
import { ProblemError } from '#lib/contracts/input/problem';
import type { RunRepository, TargetParams } from '#lib/db/read/runs';
import { inDefaultParams } from './resolve-targets.js';

/**
 * Refuses further requests of a run whose parameters have since become reserved: it may be older than the rule.
 * @returns its targets
 * @throws ProblemError 422
 */
export async function checkTargets(runs: RunRepository, runId: string): Promise<TargetParams[]> {
  const targets = await runs.readParams(runId);
  for (const { providerKey, modelId, params, defaultParams } of targets) {
    const [reserved] = findReservedParams(params);
    if (reserved)
      throw new ProblemError(
        422,
        `In the params of the run ${reserved.message} A run keeps the params it was submitted with: submit a new one.`,
      ).as('settings_invalid');
    const [reservedDefault] = findReservedParams(defaultParams);
    if (reservedDefault) throw new ProblemError(422, inDefaultParams(providerKey, modelId, reservedDefault.message));
  }
  return targets;
}
