import type { PromptTuneState } from '#lib/prompt-tune/rows/prompt-tunes';
import type { StoredPromptTune } from '#lib/prompt-tune/rows/stored-search';
import type { TuneContext } from '../tuning/tune.js';

/** A prompt tune at one of its steps. */
export type PromptTuneContext = TuneContext<StoredPromptTune, PromptTuneState>;
