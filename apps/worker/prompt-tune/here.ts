import type { PromptTuneState } from '#lib/prompt-tune/rows/prompt-tunes';
import type { StoredPromptTune } from '#lib/prompt-tune/rows/stored-search';
import type { TuneHere } from '../tuning/tune.js';

/** A prompt tune at one of its steps. */
export type Here = TuneHere<StoredPromptTune, PromptTuneState>;
