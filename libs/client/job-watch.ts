import type { Envelope, Progress, SubscribeAnswer } from '#lib/contracts/event';
import { isFinished, TERMINAL_EVENTS, type LogEventName } from '#lib/contracts/values/jobs';
import { ApiError } from './api-client.js';

export type Logged = { [Name in LogEventName]: { name: Name; event: Envelope<Name> } }[LogEventName];

/**
 * What a watch yields: durable events in order, each once; snapshots in between; `truncated` when the log from the
 * watch's position is too long to be sent.
 */
export type WatchEvent =
  Logged | { name: 'tool_eval_progress'; progress: Progress } | { name: 'truncated'; from_seq: number };

export interface WatchOptions {
  /** Sequence number of the last event already known, 0 for none; or `now` for new events only. */
  from?: number | 'now';
  /** How long to keep trying without a subscription, per interruption. */
  patienceMs?: number;
  /** Ends the watch at once. */
  signal?: AbortSignal;
}

/** No live connection for as long as the caller waits. Answers over HTTP are still valid. */
export class LiveUnavailable extends Error {}

/** Delays between retries when the server cannot answer: the first, doubled each time up to the maximum. */
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 4000;

/** The server cannot subscribe now, or not yet another. */
const isTransient = (status: number): boolean => status >= 500 || status === 429;

type QueueEntry = WatchEvent | Error | 'end';
type Timer = ReturnType<typeof setTimeout>;

/** One job followed over a connection: its position in the job's log, and the events its reader has not taken yet. */
export class JobWatch {
  readonly #patienceMs: number;
  #queue: QueueEntry[] = [];
  /** Sequence number of the last queued event; undefined until the server says where `now` is. */
  #cursor: number | undefined;
  #isSubscribing = false;
  #isClosed = false;
  #notify = (): void => {};
  #lastFailure = 'no answer';
  #failures = 0;
  #patience: Timer | undefined;
  #retry: Timer | undefined;

  constructor(
    readonly jobId: string,
    { from = 0, patienceMs = Infinity }: WatchOptions,
    readonly server: { url: string; subscribe: (receive: (answer: SubscribeAnswer) => void) => void },
  ) {
    this.#cursor = from === 'now' ? undefined : from;
    this.#patienceMs = patienceMs;
    this.#startPatience();
  }

  get cursor(): number | undefined {
    return this.#cursor;
  }

  async *events(): AsyncGenerator<WatchEvent> {
    for (;;) {
      while (this.#queue.length === 0) await new Promise<void>((resolve) => (this.#notify = resolve));
      const next = this.#queue.shift()!;
      if (next === 'end') return;
      if (next instanceof Error) throw next;
      yield next;
    }
  }

  /** Ends the watch at once; events not taken yet are dropped. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#patience);
    clearTimeout(this.#retry);
    this.#queue = ['end'];
    this.#notify();
  }

  fail(error: Error): void {
    this.#push(error);
  }

  /** The connection is lost, or could not be made. */
  onDisconnect(failure?: string): void {
    if (failure !== undefined) this.#lastFailure = failure;
    clearTimeout(this.#retry);
    this.#isSubscribing = false;
    this.#startPatience();
  }

  showProgress(progress: Progress): void {
    if (progress.job_id === this.jobId) this.#push({ name: 'tool_eval_progress', progress });
  }

  /**
   * A socket receives the final events of all jobs of its team: an event ahead of the cursor arrives again in order.
   */
  take(logged: Logged): void {
    const { name, event } = logged;
    if (event.job_id !== this.jobId || this.#cursor === undefined) return;
    // Another watch of the job subscribed after ours, from a later position.
    if (event.seq > this.#cursor + 1 && !this.#isSubscribing) this.subscribe();
    if (event.seq !== this.#cursor + 1) return;
    this.#cursor = event.seq;
    this.#push(logged);
    if ((TERMINAL_EVENTS as readonly string[]).includes(name)) this.#push('end');
  }

  subscribe(): void {
    this.#isSubscribing = true;
    this.server.subscribe((answer) => {
      if (this.#isClosed) return;
      if (answer.ok || !isTransient(answer.error.status)) return this.#finishSubscribing(answer);
      this.#lastFailure = answer.error.detail;
      this.#startPatience();
      const backoffMs = Math.min(FIRST_RETRY_MS * 2 ** this.#failures++, MAX_RETRY_MS);
      this.#retry = setTimeout(() => this.subscribe(), backoffMs * (0.5 + Math.random() / 2));
    });
  }

  #push(entry: QueueEntry): void {
    if (this.#isClosed) return;
    this.#queue.push(entry);
    this.#notify();
  }

  /** The server subscribed the socket, or gave the reason why it never will. */
  #finishSubscribing(answer: SubscribeAnswer): void {
    this.#isSubscribing = false;
    this.#failures = 0;
    clearTimeout(this.#patience);
    this.#patience = undefined;
    if (!answer.ok) return this.#push(new ApiError(answer.error));
    const { job, progress, last_seq: lastSeq } = answer.snapshot;
    this.#push({ name: 'tool_eval_progress', progress });
    this.#cursor ??= lastSeq;
    if (answer.truncated && this.#cursor < answer.from_seq!) {
      this.#cursor = answer.from_seq!;
      this.#push({ name: 'truncated', from_seq: this.#cursor });
    }
    if (isFinished(job.status) && lastSeq <= this.#cursor) this.#push('end');
  }

  #startPatience(): void {
    if (this.#patienceMs === Infinity || this.#patience) return;
    const giveUp = (): void =>
      this.#push(new LiveUnavailable(`No live connection to ${this.server.url} (${this.#lastFailure}).`));
    this.#patience = setTimeout(giveUp, this.#patienceMs);
  }
}
