import type { Logged } from '#lib/client/job-watch';
import { INITIAL_STATE, LiveJob, type WatchArguments, type LiveState } from '../../live/live-job.js';

export interface LiveGateState extends LiveState {
  /** Number of looks and decisions received since the page started to listen. */
  received: number;
}

/** Live events of a gate run: its looks at the data, and its decision. */
export class LiveGate extends LiveJob<LiveGateState> {
  constructor(...following: WatchArguments) {
    super({ ...INITIAL_STATE, received: 0 }, ...following);
  }

  protected take({ name }: Logged, { received }: LiveGateState): Partial<LiveGateState> | undefined {
    return name === 'gate_look' || name === 'gate_complete' ? { received: received + 1 } : undefined;
  }

  protected drawn = (): Partial<LiveGateState> => ({});
}
