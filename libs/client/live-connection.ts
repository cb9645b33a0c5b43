import { io, type Socket } from 'socket.io-client';
import { LOG_EVENT_NAMES, TEAM_EVENTS } from '#lib/contracts/values/jobs';
import type { Envelope, LiveMessage, Progress, SubscribeAnswer } from '#lib/contracts/event';
import { withoutSlash } from '#lib/contracts/url';
import { JobWatch, type Logged, type WatchEvent, type WatchOptions } from './job-watch.js';

export { LiveUnavailable } from './job-watch.js';

/** The server refused or closed the connection: the token or session is invalid or no longer valid. */
export class LiveRefused extends Error {}

/**
 * Events that a team receives without a subscription: starts and ends of its jobs, new best runs. An event may arrive
 * twice, and events during a disconnection are lost: on `connected`, ask HTTP for what may have changed.
 */
export type LiveTeamEvent =
  Logged | { name: 'connected' } | { name: 'disconnected' } | { name: 'refused'; error: LiveRefused };
type TeamListener = (news: LiveTeamEvent) => void;

interface LiveAuth {
  token?: string;
  team?: string;
}

const RECONNECT_MS = 1000;
/** The first wait after a connection too many, if the server does not say, and the longest. */
const [TOO_MANY_MS, MOST_MS] = [30_000, 300_000];

/** What the server adds to a refusal. The release before adds nothing: there, the sentence tells. */
interface RefusalFacts {
  status: number;
  params: { limit?: string };
  retry_after_ms?: number;
}

/** Whether trying again is of no use: the credential is wrong, not its limit reached. */
const isFinal = ({ status, params }: RefusalFacts): boolean =>
  status < 500 && (status !== 429 || params.limit === 'failed_sign_ins');

/**
 * One socket to a server that follows any number of jobs and receives the team's events. It reconnects by itself until
 * it is closed or refused.
 */
export class LiveConnection {
  readonly #socket: Socket;
  readonly #watches = new Set<JobWatch>();
  readonly #listeners = new Set<TeamListener>();
  #refusal: LiveRefused | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  /** How often in a row there were too many connections. */
  #tooMany = 0;
  #isTold = false;

  /**
   * @param auth the token, omitted in a browser, which sends its session cookie; and the id of the team that a page
   * shows, of several that its user is in
   */
  constructor(
    readonly serverUrl: string,
    auth: LiveAuth = {},
  ) {
    this.#socket = connect(serverUrl, auth);
    this.#followEvents();
    this.#followConnection();
  }

  /**
   * Follows a job until it ends. Survives lost connections, server restarts and database outages: it resumes at its
   * position in the log, so no event is missed or repeated. While the iteration is running, `signal` ends the watch at
   * once; leaving the iteration ends it at its next event.
   *
   * @throws ApiError when the job cannot be watched, LiveRefused, LiveUnavailable when patience runs out
   */
  async *watchJob(jobId: string, options: WatchOptions = {}): AsyncGenerator<WatchEvent> {
    const { signal } = options;
    if (signal?.aborted) return;
    if (this.#refusal) throw this.#refusal;
    const watch = new JobWatch(jobId, options, {
      url: this.serverUrl,
      subscribe: (take) => this.#subscribe(jobId, take),
    });
    this.#watches.add(watch);
    if (this.#socket.connected) watch.subscribe();
    const end = (): void => this.#end(watch);
    signal?.addEventListener('abort', end);
    try {
      yield* watch.events();
    } finally {
      signal?.removeEventListener('abort', end);
      end();
    }
  }

  /** Calls `listener` with the team's events, until `signal` aborts or the connection ends. */
  onTeamEvent(listener: TeamListener, { signal }: { signal?: AbortSignal } = {}): void {
    if (signal?.aborted) return;
    this.#listeners.add(listener);
    signal?.addEventListener('abort', () => this.#listeners.delete(listener), { once: true });
    if (this.#refusal) listener({ name: 'refused', error: this.#refusal });
    else if (this.#socket.connected) listener({ name: 'connected' });
  }

  /** Ends every watch, and the socket. */
  close(): void {
    clearTimeout(this.#retry);
    this.#listeners.clear();
    // Before disconnecting: nothing waits for a reconnect any more.
    this.#socket.off();
    this.#socket.disconnect();
    for (const watch of [...this.#watches]) this.#end(watch);
  }

  #end(watch: JobWatch): void {
    if (!this.#watches.delete(watch)) return;
    watch.close();
    this.#unsubscribeUnwatched(watch.jobId);
  }

  /** A socket has one cursor in a job's log: the lowest of its watches. */
  #subscribe(jobId: string, take: (answer: SubscribeAnswer) => void): void {
    const cursors = this.#watchesOf(jobId).flatMap(({ cursor }) => cursor ?? []);
    const packet = { job_id: jobId, ...(cursors.length > 0 && { after_seq: Math.min(...cursors) }) };
    this.#socket.emit('subscribe', packet, (answer: SubscribeAnswer) => {
      take(answer);
      this.#unsubscribeUnwatched(jobId);
    });
  }

  #watchesOf = (jobId: string): JobWatch[] => [...this.#watches].filter((watch) => watch.jobId === jobId);

  #unsubscribeUnwatched(jobId: string): void {
    if (this.#socket.connected && this.#watchesOf(jobId).length === 0)
      this.#socket.emit('unsubscribe', { job_id: jobId }, () => {});
  }

  #followEvents(): void {
    for (const name of LOG_EVENT_NAMES)
      this.#socket.on(name, (event: Envelope) => this.#take({ name, event } as Logged));
    this.#socket.on('tool_eval_results', ({ job_id, results }: LiveMessage<'tool_eval_results'>) => {
      for (const { seq, at, ...data } of results)
        this.#take({ name: 'tool_eval_result', event: { job_id, seq, at, data } });
    });
    this.#socket.on('tool_eval_progress', (progress: Progress) => {
      for (const watch of this.#watches) watch.showProgress(progress);
    });
  }

  #take(logged: Logged): void {
    for (const watch of this.#watches) watch.take(logged);
    if (TEAM_EVENTS.includes(logged.name)) this.#tell(logged);
  }

  #tell(news: LiveTeamEvent): void {
    for (const listener of [...this.#listeners]) listener(news);
  }

  #followConnection(): void {
    this.#socket.on('connect', () => {
      this.#tooMany = 0;
      for (const watch of this.#watches) watch.subscribe();
      this.#tellOf('connected');
    });
    this.#socket.on('connect_error', ({ message, data }: Error & { data?: RefusalFacts }) => {
      if (data ? isFinal(data) : /\b(token|session)\b/.test(message)) return this.#refuse(message);
      for (const watch of this.#watches) watch.onDisconnect(message);
      if (!this.#isTold) this.#tellOf('disconnected');
      // Socket.IO does not retry by itself what the server has refused.
      if (this.#socket.active) return;
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.#socket.connect(), data?.status === 429 ? this.#waitMs(data) : RECONNECT_MS);
    });
    this.#socket.io.on('close', (reason) => {
      for (const watch of this.#watches) watch.onDisconnect(`the connection was closed: ${reason}`);
    });
    this.#socket.on('disconnect', (reason) => {
      clearTimeout(this.#retry);
      for (const watch of this.#watches) watch.onDisconnect();
      this.#tellOf('disconnected');
      if (reason === 'io server disconnect')
        this.#refuse('The server ended the connection: the token was revoked, or the session has ended.');
    });
  }

  #tellOf(name: 'connected' | 'disconnected'): void {
    this.#isTold = name === 'disconnected';
    this.#tell({ name });
  }

  /** Each time longer, and not for all who were refused together. */
  #waitMs({ retry_after_ms: first = TOO_MANY_MS }: RefusalFacts): number {
    return Math.min(first * 2 ** this.#tooMany++, MOST_MS) * (1 + Math.random() / 4);
  }

  #refuse(message: string): void {
    const error = (this.#refusal = new LiveRefused(message));
    for (const watch of this.#watches) watch.fail(error);
    this.#tell({ name: 'refused', error });
  }
}

function connect(serverUrl: string, auth: LiveAuth): Socket {
  const { origin, pathname } = new URL(serverUrl);
  return io(origin, {
    path: `${withoutSlash(pathname)}/socket.io`,
    ...((auth.token ?? auth.team) !== undefined && { auth }),
    transports: ['websocket'],
    reconnectionDelayMax: 2000,
    // A shared connection would end together with the other socket.
    forceNew: true,
  });
}
