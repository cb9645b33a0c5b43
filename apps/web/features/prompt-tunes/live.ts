import type { Logged } from '#lib/client/job-watch';
import type { LogEventData } from '#lib/contracts/event';
import { INITIAL_STATE, LiveJob, type WatchArguments, type LiveState } from '../../live/live-job.js';

type Generation = LogEventData<'tune_generation'>;

export interface LivePromptTuneState extends LiveState {
  /** The latest generation, or reflection step. */
  newest: Generation | undefined;
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
