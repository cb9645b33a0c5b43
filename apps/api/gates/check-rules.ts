import type { GateBaseline, GateRules } from '#lib/gate/contract';
import { targetName } from '#lib/contracts/target-name';
import { ExperimentRepository } from '#lib/db/catalogue/experiments';
import type { Pool } from '#lib/db/connection/pool';
import { ExperimentRunRepository } from '#lib/db/read/experiment-runs';
import { checkCriticalTags } from '../runs/check-run.js';
import { resolveNames } from '../runs/resolve-targets.js';

/** The rules of a gate that a request sets; fields it omits are not checked. */
export interface AskedRules extends Partial<Pick<GateRules, 'models' | 'critical_tags'>> {
  suiteId: string;
  baseline: GateBaseline;
}

/**
 * Checks the names whose misspelling would otherwise silently let a run pass.
 * @returns the full names of the models
 * @throws ProblemError 422 that lists the existing names
 */
export async function checkRules(
  { pool }: { pool: Pool },
  teamId: string,
  { suiteId, baseline, models, critical_tags: tags = [] }: AskedRules,
): Promise<string[] | null | undefined> {
  await checkCriticalTags(pool, teamId, suiteId, tags);
  return models && resolveNames(pool, teamId, models, await readRecorded(pool, teamId, baseline));
}

/** The recorded models of the baseline, which no provider has. */
async function readRecorded(pool: Pool, teamId: string, baseline: GateBaseline): Promise<Set<string>> {
  const runId =
    'eval_id' in baseline
      ? baseline.eval_id
      : (await new ExperimentRepository(pool, teamId).find(baseline.experiment_id))?.baselineId;
  const runs = await new ExperimentRunRepository(pool, teamId).find(runId ? [runId] : []);
  return new Set([...runs.values()].flatMap(({ targets }) => targets.filter((one) => one.recorded).map(targetName)));
}
