import type { Logged } from '#lib/client/job-watch';
import type { LogEventData } from '#lib/contracts/event';
import { BEFORE_EVENTS, LiveJob, type Following, type LiveState } from './live-job.js';

export type Generation = LogEventData<'tune_generation'>;

export interface LivePromptTuneState extends LiveState {
  /** The newest generation, or step of reflection. */
  newest: Generation | undefined;
  /** How many came since the page listens. */
  received: number;
}

/** What comes in of a tune of prompts: what the newest generation brought. */
export class LivePromptTune extends LiveJob<LivePromptTuneState> {
  constructor(...following: Following) {
    super({ ...BEFORE_EVENTS, newest: undefined, received: 0 }, ...following);
  }

  protected take({ name, event }: Logged, { received }: LivePromptTuneState) {
    return name === 'tune_generation' ? { newest: event.data, received: received + 1 } : undefined;
  }

  protected drawn = (): Partial<LivePromptTuneState> => ({});
}
