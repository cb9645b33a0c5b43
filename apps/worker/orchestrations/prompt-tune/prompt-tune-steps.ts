import { targetName } from '#lib/contracts/target-name';
import type { Pool } from '#lib/db/connection/pool';
import type { OrchestrationEnd } from '#lib/db/engine/orchestrations';
import type { PromptTuneStep, StoredPromptTune } from '#lib/db/engine/prompt-tunes';
import type { PromptTuneState } from '#lib/db/read/prompt-tunes';
import { findMissingModels } from '#lib/db/read/for-workers/missing-models';
import { isSuiteThere } from '#lib/db/read/for-workers/suite-there';
import type { NextStep } from '../../control/orchestrate.js';
import { confirm } from './confirm.js';
import type { Here } from './here.js';
import { promote } from './promote.js';
import { search } from './search.js';

/**
 * The steps of a prompt tune: `search` repeats the search from what its child runs brought, scores of candidates and
 * replies of the meta model alike, and makes those that it asks for next; `holdout` compares what was found with the
 * base on cases that nothing was chosen by; `promote` runs the best texts anew in its experiment.
 * @param pool its connections are held as long as two runs take to compare
 */
export const promptTuneSteps =
  (pool: Pool): NextStep =>
  async (orchestration, signal) => {
    const tune = orchestration.input as unknown as StoredPromptTune;
    const state = orchestration.state as unknown as PromptTuneState;
    const obstacle = await obstacleTo(pool, orchestration.teamId, tune);
    const here: Here = { pool, orchestration, tune, state, signal, obstacle };
    switch (orchestration.step as PromptTuneStep) {
      case 'search':
        return search(here);
      case 'holdout':
        return confirm(here);
      case 'promote':
        return promote(here);
    }
  };

/** Why the tune cannot go on: a model or the suite was removed meanwhile. */
async function obstacleTo(
  pool: Pool,
  teamId: string,
  { targets, meta, suite }: StoredPromptTune,
): Promise<OrchestrationEnd | undefined> {
  const failed = (error: string): OrchestrationEnd => ({ status: 'failed', error });
  if (!(await isSuiteThere(pool, teamId, suite.id)))
    return failed(
      `The suite "${suite.name}" was deleted while its prompts were tuned. What was found so far is kept with the ` +
        'candidates.',
    );
  const [missing] = await findMissingModels(pool, [...targets, meta]);
  return (
    missing &&
    failed(
      `The model ${targetName(missing)} was removed while the tune went on. Add it again and resume the tune, or ` +
        'submit it without this model.',
    )
  );
}
