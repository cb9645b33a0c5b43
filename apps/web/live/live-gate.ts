import type { Logged } from '#lib/client/job-watch';
import { BEFORE_EVENTS, LiveJob, type Following, type LiveState } from './live-job.js';

export interface LiveGateState extends LiveState {
  /** Number of looks and decisions received since the page started to listen. */
  received: number;
}

/** Live events of a gate run: its looks at the data, and its decision. */
export class LiveGate extends LiveJob<LiveGateState> {
  constructor(...following: Following) {
    super({ ...BEFORE_EVENTS, received: 0 }, ...following);
  }

  protected take({ name }: Logged, { received }: LiveGateState): Partial<LiveGateState> | undefined {
    return name === 'gate_look' || name === 'gate_complete' ? { received: received + 1 } : undefined;
  }

  protected drawn = (): Partial<LiveGateState> => ({});
}
