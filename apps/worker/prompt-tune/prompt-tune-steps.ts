import type { PromptTuneState } from '#lib/prompt-tune/rows/prompt-tunes';
import type { StoredPromptTune } from '#lib/prompt-tune/rows/stored-search';
import { tuneSteps } from '../tuning/tune.js';
import { confirm } from './confirm.js';
import { endTune } from './end-tune.js';
import { search } from './search.js';

/**
 * The steps of a prompt tune. Its child runs produce both the scores of candidates and the replies of the meta model.
 */
export const promptTune = tuneSteps<StoredPromptTune, PromptTuneState>({
  type: 'prompt_tune',
  modelsOf: ({ targets, meta }) => [...targets, meta],
  kept: 'candidates',
  search,
  confirm,
  end: endTune,
});
