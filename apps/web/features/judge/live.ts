import type { Logged } from '#lib/client/job-watch';
import { INITIAL_STATE, LiveJob, type WatchArguments, type LiveState } from '../../live/live-job.js';

export interface LiveReportState extends LiveState {
  /** Number of judgements received since the page started to listen. */
  received: number;
}

/** Live events of a report: new judgements. */
export class LiveReport extends LiveJob<LiveReportState> {
  constructor(...following: WatchArguments) {
    super({ ...INITIAL_STATE, received: 0 }, ...following);
  }

  protected take({ name }: Logged, { received }: LiveReportState): Partial<LiveReportState> | undefined {
    return name === 'judge_verdict' ? { received: received + 1 } : undefined;
  }

  protected drawn = (): Partial<LiveReportState> => ({});
}
