import { io, type Socket } from 'socket.io-client';
import {
  LOG_EVENT_NAMES,
  TERMINAL_EVENTS,
  type Envelope,
  type LiveMessage,
  type LogEventName,
  type Progress,
  type SubscribeAnswer,
} from '#lib/contracts/event';
import { isFinished } from '#lib/contracts/job';
import { withoutSlash } from '#lib/contracts/url';
import { ApiError } from './api-client.js';

type Logged = { [Name in LogEventName]: { name: Name; event: Envelope<Name> } }[LogEventName];

/**
 * What `watchJob` yields: durable events in order, each once; snapshots in between; `truncated` when the log is too
 * long to be sent from where the watch was.
 */
export type WatchEvent =
  Logged | { name: 'tool_eval_progress'; progress: Progress } | { name: 'truncated'; from_seq: number };

/** There was no live connection for as long as the caller waits. What HTTP answers is still true. */
export class LiveUnavailable extends Error {}

/** A server that cannot answer is asked again after the first time, and then after twice as long each time. */
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 4000;
const RECONNECT_MS = 1000;

/**
 * Follows a job until it ends. Survives lost connections, restarted servers, and servers whose database is gone for
 * a while: it goes on in the log where it was, so nothing is missed and nothing comes twice. Ending the iteration
 * closes the connection.
 *
 * @param afterSeq the last event that is known already; 0 for none
 * @param patienceMs how long it tries without a subscription, each time
 * @throws ApiError when the job cannot be watched, Error when the token is refused, LiveUnavailable when patience ends
 */
export async function* watchJob(
  serverUrl: string,
  token: string,
  jobId: string,
  afterSeq = 0,
  patienceMs = Infinity,
): AsyncGenerator<WatchEvent> {
  const watch = new JobWatch(serverUrl, token, jobId, afterSeq, patienceMs);
  try {
    for (;;) {
      const next = await watch.next();
      if (next === 'end') return;
      if (next instanceof Error) throw next;
      yield next;
    }
  } finally {
    watch.close();
  }
}

type Entry = WatchEvent | Error | 'end';

class JobWatch {
  readonly #serverUrl: string;
  readonly #jobId: string;
  readonly #patienceMs: number;
  readonly #socket: Socket;
  readonly #queue: Entry[] = [];
  /** The number of the last event that was queued. */
  #cursor: number;
  #notify = (): void => {};
  #lastFailure = 'no answer';
  #failures = 0;
  #patience: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(serverUrl: string, token: string, jobId: string, afterSeq: number, patienceMs: number) {
    this.#serverUrl = serverUrl;
    this.#jobId = jobId;
    this.#cursor = afterSeq;
    this.#patienceMs = patienceMs;
    this.#socket = connect(serverUrl, token);
    this.#followEvents();
    this.#followConnection();
    this.#startPatience();
  }

  async next(): Promise<Entry> {
    while (this.#queue.length === 0) await new Promise<void>((resolve) => (this.#notify = resolve));
    return this.#queue.shift()!;
  }

  close(): void {
    clearTimeout(this.#patience);
    clearTimeout(this.#retry);
    // Before the connection ends: nobody waits for it to come back any more.
    this.#socket.off();
    this.#socket.disconnect();
  }

  #push(entry: Entry): void {
    this.#queue.push(entry);
    this.#notify();
  }

  #followEvents(): void {
    for (const name of LOG_EVENT_NAMES)
      this.#socket.on(name, (event: Envelope) => this.#take({ name, event } as Logged));
    this.#socket.on('tool_eval_results', ({ job_id, results }: LiveMessage<'tool_eval_results'>) => {
      for (const { seq, at, ...data } of results)
        this.#take({ name: 'tool_eval_result', event: { job_id, seq, at, data } });
    });
    this.#socket.on('tool_eval_progress', (progress: Progress) => {
      if (progress.job_id === this.#jobId) this.#push({ name: 'tool_eval_progress', progress });
    });
  }

  /** A socket gets the ends of all jobs of its team: an event that comes too early comes again in its place. */
  #take(logged: Logged): void {
    const { name, event } = logged;
    if (event.job_id !== this.#jobId || event.seq !== this.#cursor + 1) return;
    this.#cursor = event.seq;
    this.#push(logged);
    if (TERMINAL_EVENTS.includes(name)) this.#push('end');
  }

  #followConnection(): void {
    this.#socket.on('connect', () => this.#subscribe());
    this.#socket.on('connect_error', (error) => {
      this.#lastFailure = error.message;
      if (/token/.test(error.message)) this.#push(error);
      // Socket.IO does not try again by itself after the server's middleware refused.
      else if (!this.#socket.active) this.#retry = setTimeout(() => this.#socket.connect(), RECONNECT_MS);
    });
    this.#socket.on('disconnect', (reason) => {
      clearTimeout(this.#retry);
      this.#startPatience();
      if (reason === 'io server disconnect')
        this.#push(new Error('The server ended the connection: the token was revoked.'));
    });
  }

  #subscribe(): void {
    this.#socket.emit('subscribe', { job_id: this.#jobId, after_seq: this.#cursor }, (answer: SubscribeAnswer) => {
      if (answer.ok || answer.error.status < 500) return this.#finishSubscribing(answer);
      this.#lastFailure = answer.error.detail;
      this.#startPatience();
      const backoffMs = Math.min(FIRST_RETRY_MS * 2 ** this.#failures++, MAX_RETRY_MS);
      this.#retry = setTimeout(() => this.#subscribe(), backoffMs * (0.5 + Math.random() / 2));
    });
  }

  /** The server subscribed the socket, or said why it never will. */
  #finishSubscribing(answer: SubscribeAnswer): void {
    this.#failures = 0;
    clearTimeout(this.#patience);
    this.#patience = undefined;
    if (!answer.ok) return this.#push(new ApiError(answer.error));
    this.#push({ name: 'tool_eval_progress', progress: answer.snapshot.progress });
    if (answer.truncated) {
      this.#cursor = answer.from_seq!;
      this.#push({ name: 'truncated', from_seq: this.#cursor });
    }
    if (isFinished(answer.snapshot.job.status) && answer.snapshot.last_seq <= this.#cursor) this.#push('end');
  }

  #startPatience(): void {
    if (this.#patienceMs === Infinity || this.#patience) return;
    const giveUp = (): void =>
      this.#push(new LiveUnavailable(`No live connection to ${this.#serverUrl} (${this.#lastFailure}).`));
    this.#patience = setTimeout(giveUp, this.#patienceMs);
  }
}

function connect(serverUrl: string, token: string): Socket {
  const { origin, pathname } = new URL(serverUrl);
  return io(origin, {
    path: `${withoutSlash(pathname)}/socket.io`,
    auth: { token },
    transports: ['websocket'],
    reconnectionDelayMax: 2000,
    // A connection that another watch shares would end with that watch.
    forceNew: true,
  });
}
