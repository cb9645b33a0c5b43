import type { Logged } from '#lib/client/job-watch';
import type { LogEventData } from '#lib/contracts/event';
import { INITIAL_STATE, LiveJob, type WatchArguments, type LiveState } from '../../live/live-job.js';

export const NEWEST = 50;

export interface LiveResult extends LogEventData<'tool_eval_result'> {
  seq: number;
}

export interface LiveRunState extends LiveState {
  /** The latest results, in event order. */
  newest: readonly LiveResult[];
  /** Number of results received since the page started to listen. */
  received: number;
}

/** Live events of a run. Only the latest results are kept. */
export class LiveRun extends LiveJob<LiveRunState> {
  #newest: LiveResult[] = [];

  constructor(...following: WatchArguments) {
    super({ ...INITIAL_STATE, newest: [], received: 0 }, ...following);
  }

  protected take({ name, event }: Logged, { received }: LiveRunState): Partial<LiveRunState> | undefined {
    if (name !== 'tool_eval_result') return undefined;
    this.#newest.push({ ...event.data, seq: event.seq });
    // The array grows to twice its limit before it is cut, since each cut moves it.
    if (this.#newest.length >= 2 * NEWEST) this.#newest = this.#newest.slice(-NEWEST);
    return { received: received + 1 };
  }

  protected drawn = (): Partial<LiveRunState> => ({ newest: this.#newest.slice(-NEWEST) });
}
