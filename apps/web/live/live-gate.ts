import type { Logged } from '#lib/client/job-watch';
import { BEFORE_EVENTS, LiveJob, type Following, type LiveState } from './live-job.js';

export interface LiveGateState extends LiveState {
  /** How many looks and answers came since the page listens. */
  received: number;
}

/** What comes in of a gate run: that it has looked at its data, and its answer. */
export class LiveGate extends LiveJob<LiveGateState> {
  constructor(...following: Following) {
    super({ ...BEFORE_EVENTS, received: 0 }, ...following);
  }

  protected take({ name }: Logged, { received }: LiveGateState): Partial<LiveGateState> | undefined {
    return name === 'gate_look' || name === 'gate_complete' ? { received: received + 1 } : undefined;
  }

  protected drawn = (): Partial<LiveGateState> => ({});
}
