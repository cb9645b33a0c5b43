import type { Logged } from '#lib/client/job-watch';
import type { LogEventData } from '#lib/contracts/event';
import { INITIAL_STATE, LiveJob, type WatchArguments, type LiveState } from '../../live/live-job.js';

export type ArmUpdate = LogEventData<'tune_combo_result'>;

export interface LiveTuneState extends LiveState {
  /** The latest news of each arm, by its key. */
  arms: ReadonlyMap<string, ArmUpdate>;
  /** Number of measurements received since the page started to listen. */
  received: number;
}

/** Identifies an arm among the arms of all models of a tune. */
export const armKey = ({ target, arm }: { target: string; arm: number }): string => `${arm} ${target}`;

/** Live events of a tune: the progress of each arm. */
export class LiveTune extends LiveJob<LiveTuneState> {
  #arms = new Map<string, ArmUpdate>();
  #isCopied = false;

  constructor(...following: WatchArguments) {
    super({ ...INITIAL_STATE, arms: new Map(), received: 0 }, ...following);
  }

  protected take({ name, event }: Logged, { received }: LiveTuneState): Partial<LiveTuneState> | undefined {
    if (name !== 'tune_combo_result') return undefined;
    // A rendered map is never changed; a frame of many events copies it once.
    if (!this.#isCopied) this.#arms = new Map(this.#arms);
    this.#isCopied = true;
    this.#arms.set(armKey(event.data), event.data);
    return { received: received + 1 };
  }

  protected drawn(): Partial<LiveTuneState> {
    this.#isCopied = false;
    return { arms: this.#arms };
  }
}

export interface LivePromptTuneState extends LiveState {
  /** The latest generation, or reflection step. */
  newest: LogEventData<'tune_generation'> | undefined;
  /** Number received since the page started to listen. */
  received: number;
}

/** Live events of a prompt tune: results of the latest generation. */
export class LivePromptTune extends LiveJob<LivePromptTuneState> {
  constructor(...following: WatchArguments) {
    super({ ...INITIAL_STATE, newest: undefined, received: 0 }, ...following);
  }

  protected take({ name, event }: Logged, { received }: LivePromptTuneState) {
    return name === 'tune_generation' ? { newest: event.data, received: received + 1 } : undefined;
  }

  protected drawn = (): Partial<LivePromptTuneState> => ({});
}
