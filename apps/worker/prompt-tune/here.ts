import type { Comparer } from '#lib/comparison/threads/comparison-threads';
import type { Pool } from '#lib/db/connection/pool';
import type { Orchestration, OrchestrationEnd } from '#lib/db/engine/orchestrations';
import type { StoredPromptTune } from '#lib/prompt-tune/rows/stored-search';
import type { PromptTuneState } from '#lib/prompt-tune/rows/prompt-tunes';

/** A prompt tune at one of its steps. */
export interface Here {
  pool: Pool;
  comparing: Comparer;
  orchestration: Orchestration;
  tune: StoredPromptTune;
  state: PromptTuneState;
  signal: AbortSignal;
  /** Why it cannot go on; undefined when it can. */
  obstacle: OrchestrationEnd | undefined;
}
