import type { Logged } from '#lib/client/job-watch';
import type { LogEventData } from '#lib/contracts/event';
import { BEFORE_EVENTS, LiveJob, type Following, type LiveState } from './live-job.js';

export type ArmNews = LogEventData<'tune_combo_result'>;

export interface LiveTuneState extends LiveState {
  /** What was told last of each arm, by its key. */
  arms: ReadonlyMap<string, ArmNews>;
  /** How often an arm was measured since the page listens. */
  received: number;
}

/** Tells the arms of all models of a tune apart. */
export const armKey = ({ target, arm }: { target: string; arm: number }): string => `${arm} ${target}`;

/** What comes in of a tune: how each arm does. */
export class LiveTune extends LiveJob<LiveTuneState> {
  #arms = new Map<string, ArmNews>();
  #isCopied = false;

  constructor(...following: Following) {
    super({ ...BEFORE_EVENTS, arms: new Map(), received: 0 }, ...following);
  }

  protected take({ name, event }: Logged, { received }: LiveTuneState): Partial<LiveTuneState> | undefined {
    if (name !== 'tune_combo_result') return undefined;
    // What was drawn stays as it is; a frame of many events copies it once.
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
