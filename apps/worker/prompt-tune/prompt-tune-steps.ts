import type { PromptTuneStep, StoredPromptTune } from '#lib/prompt-tune/rows/stored-search';
import type { PromptTuneState } from '#lib/prompt-tune/rows/prompt-tunes';
import type { OrchestrationKind } from '../orchestration/kind.js';
import { obstacleTo } from '../tuning/tune-ends.js';
import { confirm } from './confirm.js';
import type { Here } from './here.js';
import { promote } from './promote.js';
import { search } from './search.js';

/**
 * The steps of a prompt tune: `search` repeats the search from what its child runs brought, scores of candidates and
 * replies of the meta model alike, and makes those that it asks for next; `holdout` compares what was found with the
 * base on cases that nothing was chosen by; `promote` runs the best texts anew in its experiment.
 */
export const promptTune: OrchestrationKind = {
  type: 'prompt_tune',
  async nextStep({ pool, comparing, orchestration, signal }) {
    const tune = orchestration.input as unknown as StoredPromptTune;
    const state = orchestration.state as unknown as PromptTuneState;
    const { suite, targets, meta } = tune;
    const models = [...targets, meta];
    const obstacle = await obstacleTo(pool, orchestration.teamId, { suite, models, kept: 'candidates' });
    const here: Here = { pool, comparing, orchestration, tune, state, signal, obstacle };
    switch (orchestration.step as PromptTuneStep) {
      case 'search':
        return search(here);
      case 'holdout':
        return confirm(here);
      case 'promote':
        return promote(here);
    }
  },
};
