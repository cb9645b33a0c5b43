import type { IncomingMessage, Server as HttpServer } from 'node:http';
import { Server } from 'socket.io';
import { Subscribe, Unsubscribe } from '#lib/contracts/event';
import type { Problem } from '#lib/contracts/input/problem-document';
import { findCallers, type Caller, type Credential, type TokenOwner } from '#lib/db/catalogue/callers';
import type { RefusalAction } from '#lib/db/catalogue/refusals';
import { ProblemError } from '#lib/contracts/input/problem';
import { isTransient, type Pool } from '#lib/db/connection/pool';
import type { Logger } from '#lib/runtime/logger';
import { credentialOf } from '../platform/credentials.js';
import type { JobNotifications } from '../platform/job-notifications.js';
import type { KnownCallers } from '../platform/known-callers.js';
import { toProblem } from '../platform/problem.filter.js';
import { RefusedCredential } from '../platform/refusal.js';
import type { Refusals } from '../platform/refusals.js';
import { sourceOf } from '../platform/request-source.js';
import { answerPackets, refuseOtherPackets } from './answer-packets.js';
import { boundPackets, SocketCounts, type SocketLimits } from './socket-limits.js';
import type { ConnectionData, LiveSocket } from './connection.js';
import { JobSubscriptions } from './job-subscriptions.js';
import { measureLive, type LiveStep } from './live-metrics.js';
import { SentEvents } from './sent-events.js';
import { REMEMBER_MS, TeamEvents } from './team-events.js';
import { UnsentPackets } from './unsent-packets.js';

/** How often Postgres is polled, in case a notification was lost. */
const POLL_MS = 2000;
/** Every commit of a worker sends a notification; team events are read this long after the first. */
const TEAM_EVENTS_DELAY_MS = 250;
const MAX_PACKET_BYTES = 100_000;
/** A client says at once who it is. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Packets at once: a client that reconnects subscribes to everything again, and may unsubscribe just after. */
const packetsAtOnce = ({ subscriptions }: SocketLimits): number => 100 + 2 * subscriptions;

/**
 * Live results over Socket.IO. The source is the log in Postgres; Redis only signals that there is something to read.
 * `JobSubscriptions` sends the logs that clients subscribed to, `TeamEvents` the events that every client of a team
 * gets.
 */
export class LiveServer {
  readonly #io: Server;
  readonly #subscriptions: JobSubscriptions;
  readonly #pollTimer: NodeJS.Timeout;
  readonly #connecting = new WeakSet<LiveSocket['conn']>();
  readonly #socketCounts: SocketCounts;
  readonly #countFailure: (step: LiveStep) => void;
  readonly #sendTeamEvents: () => Promise<void>;
  #teamEventsSoon: NodeJS.Timeout | undefined;

  constructor(
    readonly deps: {
      httpServer: HttpServer;
      pool: Pool;
      callers: KnownCallers;
      limits: SocketLimits;
      notifications: JobNotifications;
      refusals: Refusals;
      logger: Logger;
      isShuttingDown: () => boolean;
    },
  ) {
    const { httpServer, pool, limits, notifications, isShuttingDown } = deps;
    this.#io = new Server(httpServer, {
      maxHttpBufferSize: MAX_PACKET_BYTES,
      serveClient: false,
      connectTimeout: CONNECT_TIMEOUT_MS,
    });
    this.#io.engine.on('headers', (headers: Record<string, string>, request: IncomingMessage) => {
      headers['x-content-type-options'] = 'nosniff';
      if (isShuttingDown() && !request.headers.upgrade) headers.connection = 'close';
    });
    this.#io.use((socket, next) => {
      this.#authenticate(socket).then(
        () => next(),
        (error: Error) => this.#refuse(socket, error, next),
      );
    });
    this.#io.on('connection', (socket: LiveSocket) => this.#accept(socket));
    this.#socketCounts = new SocketCounts(limits.sockets);
    this.#countFailure = measureLive(this.#io);
    const onSendFailure = (socket: LiveSocket, error: Error): void => this.#drop(socket, error);
    const subscriptions = new JobSubscriptions({
      io: this.#io,
      pool,
      mostOfSocket: limits.subscriptions,
      onReadFailure: (error, jobId) => this.#failed('job', error, { job: jobId }),
      onSendFailure,
    });
    this.#subscriptions = subscriptions;
    const teamEvents = new TeamEvents({
      io: this.#io,
      pool,
      isSubscribed: (socket, jobId) => subscriptions.isSubscribed(socket, jobId),
      onFailure: (error, jobId) => this.#failed('teams', error, { job: jobId }),
      onSendFailure,
    });
    this.#sendTeamEvents = this.#withoutOverlap('teams', () => teamEvents.sendNew());
    const wakeBehind = this.#withoutOverlap('jobs', () => subscriptions.wakeBehind());
    const checkTokens = this.#withoutOverlap('tokens', () => this.#disconnectRevoked());
    this.#pollTimer = setInterval(
      () => void Promise.all([this.#sendTeamEvents(), checkTokens(), wakeBehind()]),
      POLL_MS,
    );
    notifications.hearAll((id) => this.#onJobChanged(id));
  }

  async close(): Promise<void> {
    clearInterval(this.#pollTimer);
    clearTimeout(this.#teamEventsSoon);
    await this.#io.close();
  }

  /** @throws ProblemError why the client is refused, or the error that keeps the server from checking it */
  async #authenticate(socket: LiveSocket): Promise<void> {
    const { conn } = socket;
    const { callers, pool } = this.deps;
    const { limits } = callers;
    // One connection could ask for many sockets before the first is accepted.
    if (this.#connecting.has(conn)) throw new ProblemError(400, 'A connection takes one client.');
    this.#connecting.add(conn);
    const { token, team } = socket.handshake.auth as { token?: unknown; team?: unknown };
    const credential: Credential | undefined =
      typeof token === 'string' ? { kind: 'token', secret: token } : credentialOf(socket.request, team);
    const asked = { raw: socket.request, method: 'GET', routeOptions: { url: '/socket.io' } };
    if (!credential)
      throw (await limits.ofAddress(asked)) ?? new ProblemError(401, 'The token is unknown, revoked or expired.');
    const caller = await callers.findAnew(credential, asked);
    socket.data.caller = caller;
    await limits.ofCaller(caller);
    this.#socketCounts.take(caller, conn);
    // The clock of Postgres stamps events, and a reconnecting client must not be sent earlier ones again.
    const { rows } = await pool.query<{ now: Date }>('SELECT now()');
    socket.data = {
      caller,
      credential,
      sinceMs: rows[0]!.now.getTime(),
      sent: new SentEvents(REMEMBER_MS),
      unsent: new UnsentPackets(conn),
      subscribed: new Set(),
    } satisfies ConnectionData;
  }

  #refuse(socket: LiveSocket, error: Error, next: (error?: Error) => void): void {
    if (error instanceof ProblemError) {
      this.#noteRefusal('refused.connection', socket, error instanceof RefusedCredential ? error.owner : undefined);
      next(connectError(error));
      // After the packet that says why.
      setImmediate(() => socket.conn.close());
      return;
    }
    this.#failed('connect', error);
    // An error passed to `next` arrives as `connect_error`, after which Socket.IO clients do not retry by themselves.
    // They do reconnect after a lost connection.
    socket.conn.close();
    next();
  }

  #noteRefusal(action: RefusalAction, { data, request }: LiveSocket, owner?: TokenOwner): void {
    const { caller = owner } = data as Partial<ConnectionData>;
    const { address } = sourceOf(request);
    this.deps.refusals.note({ action, subject: 'live events', caller, request: { id: null, address } });
  }

  #accept(socket: LiveSocket): void {
    const onError = (error: unknown, input?: { job_id: string }): Problem => {
      const { problem } = toProblem(error);
      if (problem.status >= 500) this.#failed('packet', error, { job: input?.job_id });
      if (problem.status === 403) this.#noteRefusal('refused.token', socket);
      if (problem.status === 429) this.#noteRefusal('refused.rate', socket);
      return problem;
    };
    boundPackets(socket, packetsAtOnce(this.deps.limits));
    answerPackets(socket, 'subscribe', {
      schema: Subscribe,
      takes: '{job_id, after_seq?, batch?}',
      onError,
      handle: (input) => this.#subscriptions.subscribe(socket, input),
    });
    answerPackets(socket, 'unsubscribe', {
      schema: Unsubscribe,
      takes: '{job_id}',
      onError,
      handle: ({ job_id: jobId }) => {
        this.#subscriptions.unsubscribe(socket, jobId);
        return { ok: true as const };
      },
    });
    refuseOtherPackets(socket, ['subscribe', 'unsubscribe'], onError);
    socket.on('disconnect', () => this.#subscriptions.unsubscribeAll(socket));
    socket.conn.on('drain', () => this.#subscriptions.resume(socket));
  }

  /** @param id of the job or of its run */
  #onJobChanged(id: string): void {
    this.#subscriptions.wake(id);
    this.#teamEventsSoon ??= setTimeout(() => {
      this.#teamEventsSoon = undefined;
      void this.#sendTeamEvents();
    }, TEAM_EVENTS_DELAY_MS);
  }

  /** Closes the connections of tokens that were revoked or expired, and of sessions that ended. */
  async #disconnectRevoked(): Promise<void> {
    const sockets: Iterable<LiveSocket> = this.#io.sockets.sockets.values();
    for (const [kind, connected] of Map.groupBy(sockets, ({ data }) => data.credential.kind)) {
      const ofCredential = [...Map.groupBy(connected, ({ data: { credential } }) => keyOf(credential)).values()];
      const credentials = ofCredential.map(([first]) => first!.data.credential);
      const callers = await findCallers(this.deps.pool, kind, credentials);
      for (const [n, those] of ofCredential.entries())
        for (const socket of those) if (!mayGoOn(socket.data.caller, callers[n])) socket.disconnect(true);
    }
  }

  /** Makes a repeated step skip its turn while the previous one is running. An error ends only that run of the step. */
  #withoutOverlap(step: LiveStep, work: () => Promise<void>): () => Promise<void> {
    let isRunning = false;
    return async () => {
      if (isRunning) return;
      isRunning = true;
      try {
        await work();
      } catch (error) {
        this.#failed(step, error);
      } finally {
        isRunning = false;
      }
    };
  }

  /** Closes a connection after a failed send: its client reconnects and continues after its last event. */
  #drop(socket: LiveSocket, error: Error): void {
    this.#failed('send', error);
    socket.conn.close();
  }

  #failed(step: LiveStep, error: unknown, of: { job?: string } = {}): void {
    const { message, stack } = error as Error;
    const { logger } = this.deps;
    const facts = { step, ...of, error: message, stack };
    this.#countFailure(step);
    if (step === 'packet') logger.error(facts, 'A subscription failed');
    else if (step === 'connect' && !isTransient(error)) logger.error(facts, 'A live connection could not be accepted');
    else logger[isTransient(error) ? 'debug' : 'warn'](facts, 'A live step failed; it is repeated within seconds');
  }
}

/** What a client gets as `connect_error`, with the problem next to its sentence. */
const connectError = (error: ProblemError): Error =>
  Object.assign(new Error(error.message), {
    data: { status: error.status, code: error.code, params: error.params, retry_after_ms: error.retryAfterMs },
  });

const keyOf = ({ secret, team = '' }: Credential): string => `${team} ${secret}`;

/** Whether a connection may go on: its credential still has a caller, in the same team. */
const mayGoOn = (before: Caller, now: Caller | undefined): boolean => now?.userId === before.userId;
