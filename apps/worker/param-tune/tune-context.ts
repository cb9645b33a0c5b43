import type { StoredTune, StoredTuneTarget, TunedArm } from '#lib/param-tune/rows/arms';
import type { TuneState } from '#lib/param-tune/rows/param-tunes';
import type { Race } from '#lib/param-tune/race';
import type { TuneContext } from '../tuning/tune.js';

/** A tune at one of its steps. */
export type ParamTuneContext = TuneContext<StoredTune, TuneState>;

/** The search of one model. */
export interface TargetRace {
  ordinal: number;
  target: StoredTuneTarget;
  /** The arms with distinct requests; a trial refers to an arm by its index here. */
  arms: TunedArm[];
  race: Race;
}
