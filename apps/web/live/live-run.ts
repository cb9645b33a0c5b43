import type { WatchEvent, WatchOptions } from '#lib/client/job-watch';
import type { LogEventData, Progress } from '#lib/contracts/event';

export const NEWEST = 50;
/** Without a connection for this long, HTTP says how it stands. */
const PATIENCE_MS = 5000;

export interface LiveResult extends LogEventData<'tool_eval_result'> {
  seq: number;
}

export interface LiveRunState {
  /** How far the run is; undefined until the server said so. */
  progress: Progress | undefined;
  /** The newest results, in the order of their events. */
  newest: readonly LiveResult[];
  /** How many results came since the page listens. */
  received: number;
  connection: 'connecting' | 'live' | 'lost' | 'refused';
  /** The log was too long to be sent: some results are in the lists only. */
  isTruncated: boolean;
  /** Rises with what the run itself tells better than its events: a model that is done, a warning, the end. */
  changes: number;
  hasEnded: boolean;
}

type Watch = (jobId: string, options: WatchOptions) => AsyncGenerator<WatchEvent>;
type OnFrame = (render: () => void) => void;

/**
 * What comes in of a run, for a page. However fast it comes, those who listen hear of it once a frame, and no more than
 * the newest results are kept. It follows the run while somebody listens, and goes on where it was.
 */
export class LiveRun {
  #state: LiveRunState = {
    progress: undefined,
    newest: [],
    received: 0,
    connection: 'connecting',
    isTruncated: false,
    changes: 0,
    hasEnded: false,
  };
  #newest: LiveResult[] = [];
  #next: Partial<LiveRunState> | undefined;
  #cursor: number | undefined;
  readonly #listeners = new Set<() => void>();
  #following: AbortController | undefined;

  constructor(
    readonly jobId: string,
    readonly watch: Watch,
    readonly isUnavailable: (error: unknown) => boolean,
    readonly onFrame: OnFrame = (render) => requestAnimationFrame(render),
  ) {}

  state = (): LiveRunState => this.#state;

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

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const events = this.watch(this.jobId, { from: this.#cursor ?? 'now', patienceMs: PATIENCE_MS, signal });
        for await (const event of events) {
          if (signal.aborted) return;
          this.#take(event);
        }
        if (!signal.aborted) this.#change({ hasEnded: true, changes: this.#changes + 1 });
        return;
      } catch (error) {
        if (signal.aborted) return;
        const isLost = this.isUnavailable(error);
        this.#change({ connection: isLost ? 'lost' : 'refused' });
        if (!isLost) return;
      }
    }
  }

  #take(event: WatchEvent): void {
    if (event.name === 'tool_eval_progress') {
      this.#cursor ??= event.progress.seq;
      return this.#change({ progress: event.progress, connection: 'live' });
    }
    if (event.name === 'truncated') {
      this.#cursor = event.from_seq;
      return this.#change({ isTruncated: true });
    }
    this.#cursor = event.event.seq;
    if (event.name !== 'tool_eval_result') return this.#change({ changes: this.#changes + 1 });
    this.#newest.push({ ...event.event.data, seq: event.event.seq });
    // The array grows to twice its size before it is cut: cutting it at each result would move it each time.
    if (this.#newest.length >= 2 * NEWEST) this.#newest = this.#newest.slice(-NEWEST);
    this.#change({ received: (this.#next?.received ?? this.#state.received) + 1 });
  }

  get #changes(): number {
    return this.#next?.changes ?? this.#state.changes;
  }

  /** The first change of a frame asks for it; all of them are shown in it. */
  #change(change: Partial<LiveRunState>): void {
    if (this.#next) return void Object.assign(this.#next, change);
    this.#next = change;
    this.onFrame(() => {
      this.#state = { ...this.#state, ...this.#next, newest: this.#newest.slice(-NEWEST) };
      this.#next = undefined;
      for (const listener of this.#listeners) listener();
    });
  }
}
