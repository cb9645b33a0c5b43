import { targetName } from '#lib/contracts/target-name';
import type { Pool } from '#lib/db/connection/pool';
import type { Orchestration, OrchestrationEnd } from '#lib/db/engine/orchestrations';
import { findMissingModels } from '#lib/tuning/rows/for-workers/missing-models';
import { isSuiteThere } from '#lib/tuning/rows/for-workers/suite-there';

interface Model {
  providerId: string;
  providerKey: string;
  modelId: string;
}

/**
 * Why a tune cannot go on: a model or the suite was removed meanwhile.
 * @param kept where what was found so far is kept
 */
export async function obstacleTo(
  pool: Pool,
  teamId: string,
  { suite, models, kept }: { suite: { id: string; name: string }; models: readonly Model[]; kept: string },
): Promise<OrchestrationEnd | undefined> {
  const failed = (error: string): OrchestrationEnd => ({ status: 'failed', error });
  if (!(await isSuiteThere(pool, teamId, suite.id)))
    return failed(
      `The suite "${suite.name}" was deleted while it was tuned. What was measured so far is kept with the ${kept}.`,
    );
  const [missing] = await findMissingModels(pool, models);
  return (
    missing &&
    failed(
      `The model ${targetName(missing)} was removed while it was tuned. Add it again and resume the tune, or submit ` +
        'it without this model.',
    )
  );
}

/** How a tune ends of which a child run has spent the budget; undefined while there is some left. */
export function spentBudget({ children }: Pick<Orchestration, 'children'>): OrchestrationEnd | undefined {
  const stopped = children.find(({ status }) => status === 'budget_exceeded');
  return stopped && { status: 'budget_exceeded', detail: stopped.detail ?? 'The budget is spent.' };
}
