import type { RunConfig, RunInput } from '#lib/contracts/run-input';
import { ExperimentRepository } from '#lib/db/catalogue/experiments';
import type { Pool } from '#lib/db/connection/pool';
import { ExperimentRunRepository } from '#lib/db/read/experiment-runs';

/**
 * The reply limit. A run of an experiment that sets none uses that of the baseline, so that the two do not differ by a
 * default; any other run has none.
 */
export async function resolveMaxTokens(
  pool: Pool,
  teamId: string,
  { max_tokens: asked, experiment_id: experimentId }: Pick<RunInput, 'max_tokens' | 'experiment_id'>,
): Promise<RunConfig['max_tokens']> {
  if (asked !== undefined || experimentId === null) return asked ?? null;
  const baselineId = (await new ExperimentRepository(pool, teamId).find(experimentId))?.baselineId;
  if (!baselineId) return null;
  const baseline = (await new ExperimentRunRepository(pool, teamId).find([baselineId])).get(baselineId);
  return (baseline?.config.max_tokens as number | null | undefined) ?? null;
}
