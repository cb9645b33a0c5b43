import type { Logged, WatchEvent, WatchOptions } from '#lib/client/job-watch';
import type { Progress } from '#lib/contracts/event';

/** After this long without a connection, the state is read over HTTP. */
const PATIENCE_MS = 5000;

export interface LiveState {
  /** Progress of the job; undefined until the server has sent it. */
  progress: Progress | undefined;
  connection: 'connecting' | 'live' | 'lost' | 'refused';
  /** The log was too long to be sent: some of its entries are only in the lists. */
  isTruncated: boolean;
  /**
   * Incremented by events whose details are better fetched than read from the event: a finished part, a warning, the
   * end.
   */
  changes: number;
  hasEnded: boolean;
}

type Watch = (jobId: string, options: WatchOptions) => AsyncGenerator<WatchEvent>;
type OnFrame = (render: () => void) => void;

/** The job to follow, and how. */
export type WatchArguments = [
  jobId: string,
  watch: Watch,
  isUnavailable: (error: unknown) => boolean,
  onFrame?: OnFrame,
];

export const INITIAL_STATE: LiveState = {
  progress: undefined,
  connection: 'connecting',
  isTruncated: false,
  changes: 0,
  hasEnded: false,
};

/**
 * Live events of a job, for a page. Listeners are notified at most once a frame, whatever the event rate. The job is
 * followed while there are listeners, and resumed at the last position.
 */
export abstract class LiveJob<State extends LiveState> {
  #state: State;
  #next: Partial<State> | undefined;
  #cursor: number | undefined;
  readonly #listeners = new Set<() => void>();
  #following: AbortController | undefined;

  readonly #jobId: string;
  readonly #watch: Watch;
  readonly #isUnavailable: (error: unknown) => boolean;
  readonly #onFrame: OnFrame;

  constructor(initial: State, ...[jobId, watch, isUnavailable, onFrame]: WatchArguments) {
    this.#state = initial;
    this.#jobId = jobId;
    this.#watch = watch;
    this.#isUnavailable = isUnavailable;
    this.#onFrame = onFrame ?? ((render) => requestAnimationFrame(render));
  }

  state = (): State => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (!this.#following && !this.#state.hasEnded) void this.#follow((this.#following = new AbortController()).signal);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#following?.abort();
      this.#following = undefined;
    };
  };

  /** The state change of a logged event; undefined for an event that only signals a change. */
  protected abstract take(logged: Logged, soFar: State): Partial<State> | undefined;

  /** The changes since the previous frame. */
  protected abstract drawn(): Partial<State>;

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const events = this.#watch(this.#jobId, { from: this.#cursor ?? 'now', patienceMs: PATIENCE_MS, signal });
        for await (const event of events) {
          if (signal.aborted) return;
          this.#take(event);
        }
        if (!signal.aborted) this.#change({ hasEnded: true, changes: this.#soFar.changes + 1 } as Partial<State>);
        return;
      } catch (error) {
        if (signal.aborted) return;
        const isLost = this.#isUnavailable(error);
        this.#change({ connection: isLost ? 'lost' : 'refused' } as Partial<State>);
        if (!isLost) return;
      }
    }
  }

  #take(event: WatchEvent): void {
    if (event.name === 'tool_eval_progress') {
      this.#cursor ??= event.progress.seq;
      return this.#change({ progress: event.progress, connection: 'live' } as Partial<State>);
    }
    if (event.name === 'truncated') {
      this.#cursor = event.from_seq;
      return this.#change({ isTruncated: true } as Partial<State>);
    }
    this.#cursor = event.event.seq;
    this.#change(this.take(event, this.#soFar) ?? ({ changes: this.#soFar.changes + 1 } as Partial<State>));
  }

  get #soFar(): State {
    return { ...this.#state, ...this.#next };
  }

  /** The first change of a frame schedules it; all changes are shown in it. */
  #change(change: Partial<State>): void {
    if (this.#next) return void Object.assign(this.#next, change);
    this.#next = change;
    this.#onFrame(() => {
      this.#state = { ...this.#state, ...this.#next, ...this.drawn() };
      this.#next = undefined;
      for (const listener of this.#listeners) listener();
    });
  }
}
