import type { Logged } from '#lib/client/job-watch';
import { BEFORE_EVENTS, LiveJob, type Following, type LiveState } from './live-job.js';

export interface LiveReportState extends LiveState {
  /** Number of judgements received since the page started to listen. */
  received: number;
}

/** Live events of a report: new judgements. */
export class LiveReport extends LiveJob<LiveReportState> {
  constructor(...following: Following) {
    super({ ...BEFORE_EVENTS, received: 0 }, ...following);
  }

  protected take({ name }: Logged, { received }: LiveReportState): Partial<LiveReportState> | undefined {
    return name === 'judge_verdict' ? { received: received + 1 } : undefined;
  }

  protected drawn = (): Partial<LiveReportState> => ({});
}
