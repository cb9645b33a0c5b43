import type { Comparer } from '#lib/comparison/threads/comparison-threads';
import type { Pool } from '#lib/db/connection/pool';
import type { Orchestration, OrchestrationEnd } from '#lib/db/engine/orchestrations';
import type { StoredTune, StoredTuneTarget, TunedArm } from '#lib/param-tune/rows/arms';
import type { TuneState } from '#lib/param-tune/rows/param-tunes';
import type { Race } from '#lib/param-tune/race';

/** A tune at one of its steps. */
export interface Here {
  pool: Pool;
  comparing: Comparer;
  orchestration: Orchestration;
  tune: StoredTune;
  state: TuneState;
  signal: AbortSignal;
  /** Why it cannot go on; undefined when it can. */
  obstacle: OrchestrationEnd | undefined;
}

/** The search of one model. */
export interface TargetRace {
  ordinal: number;
  target: StoredTuneTarget;
  /** Those that make requests of their own; a trial names one by its place here. */
  arms: TunedArm[];
  race: Race;
}
