import { findReservedParams } from '#lib/contracts/params';
import { ProblemError } from '#lib/contracts/input/problem';
import type { RunRepository } from '#lib/db/read/runs';
import { inDefaultParams } from './resolve-targets.js';

/**
 * Refuses to resume a run whose parameters are reserved by now: it may be older than the rule.
 * @throws ProblemError 422
 */
export async function checkResume(runs: RunRepository, runId: string): Promise<void> {
  for (const { providerKey, modelId, params, defaultParams } of await runs.readParams(runId)) {
    const [reserved] = findReservedParams(params);
    if (reserved)
      throw new ProblemError(
        422,
        `In the params of the run ${reserved.message} A run keeps the params it was submitted with: ` +
          'submit a new one with POST /api/tool-eval.',
      );
    const [reservedDefault] = findReservedParams(defaultParams);
    if (reservedDefault) throw new ProblemError(422, inDefaultParams(providerKey, modelId, reservedDefault.message));
  }
}
