import type { IncomingMessage, Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'socket.io';
import {
  Subscribe,
  TEAM_EVENTS,
  Unsubscribe,
  type Envelope,
  type Progress,
  type ServerMessage,
  type SubscribeAnswer,
} from '#lib/contracts/event';
import { notFound, type Problem } from '#lib/contracts/problem';
import type { RunTarget } from '#lib/contracts/run';
import { isTransient, type Pool } from '#lib/db/connection/pool';
import type { Prisma } from '#lib/db/connection/prisma';
import { readJob } from '#lib/db/read/jobs';
import {
  parsed,
  readLog,
  readProgress,
  teamEvents,
  watchedJobs,
  type LogEntry,
  type WatchedJob,
} from '#lib/db/read/log';
import { findCaller, findCallers, type Caller } from '#lib/db/catalogue/callers';
import { listen } from '#lib/events/notifications';
import type { Env } from '#lib/runtime/env';
import type { Logger } from '#lib/runtime/logger';
import { connectRedis } from '#lib/runtime/redis';
import { Semaphore } from '#lib/runtime/semaphore';
import { answerPackets, refuseOtherPackets } from './answer-packets.js';
import { acceptSharedFrames, broadcast, SHARED_COMPRESSION } from './broadcast.js';
import type { Shutdown } from '../platform/shutdown.js';
import { measureLive, waitingPackets, type LiveStep } from './live-metrics.js';
import { toProblem } from '../platform/problem.filter.js';
import { SentEvents } from './sent-events.js';

/** Behind the doorbell, for when it was not heard. */
const POLL_MS = 2000;
/** A watched job is read at most this often: four snapshots a second. */
const PUMP_GAP_MS = 250;
/**
 * With very many watchers less often: a write costs some 40 us of CPU, so this keeps telling them below 2 % of a
 * core.
 */
const GAP_PER_WATCHER_MS = 2;
/** With four reads a second, more results than this in one read would be more than twenty messages a second. */
const LARGEST_SINGLE = 5;
const PAGE = 500;
/** Who missed more reads them over HTTP. */
const LARGEST_REPLAY = 10_000;
/**
 * Packets that may wait for a slow client, beside those on their way; it is read on for when they are gone. Nothing
 * else is kept for it.
 */
const LARGEST_BACKLOG = 2;
/**
 * Events get their time when their transaction begins, and are seen when it commits: the window overlaps
 * generously.
 */
const TEAM_WINDOW_S = 15;
/** For how long it is remembered what was told: much longer than it is found again. */
const REMEMBER_MS = 75_000;
/** Of the process's ten connections to Postgres, a team's subscriptions hold as many, and as many its watched jobs. */
const TEAM_READS = 2;
const MOST_WAITING = 1000;

/** A socket's place in a job's log. */
interface Watcher {
  socket: Socket;
  cursor: number;
  /** Whether results may come together. */
  batch: boolean;
}

interface Watch {
  teamId: string;
  watchers: Map<string, Watcher>;
  runId: string | null;
  pumping: boolean;
  again: boolean;
  lastPumpMs: number;
  /** As far as the log was seen to go. */
  lastSeq: number;
}

export interface LiveStores {
  pool: Pool;
  prisma: Prisma;
  env: Env;
  logger: Logger;
  shutdown: Shutdown;
}

/**
 * Live results over Socket.IO. The log in Postgres is what is told; Redis only says that there is something to
 * read. Catching up and following are the same thing: every watcher has a cursor, and whoever is behind is read the
 * next page from there. So a lost message delays an event and loses none, and replicas need to know nothing of each
 * other. Watchers at the same place are told together: their page is read and serialised once. Who does not read
 * gets no further page, and is dropped when it misses a ping.
 */
export class Live {
  readonly #io: Server;
  readonly #watches = new Map<string, Watch>();
  readonly #subscriber;
  readonly #timer: NodeJS.Timeout;
  readonly #countFailure: (step: LiveStep) => void;
  /** Team events, so that each is told once though the last seconds are read again and again. */
  readonly #told = new SentEvents(REMEMBER_MS);
  /** Each team waits for itself alone. */
  readonly #turns = new Map<string, { subscribe: Semaphore; pump: Semaphore }>();
  readonly #lookAtTeams = this.#alone('teams', () => this.#tellTeams());
  readonly #lookAtTokens = this.#alone('tokens', () => this.#endRevoked());
  readonly #lookAtJobs = this.#alone('jobs', () => this.#wakeBehind());
  #lookSoon: NodeJS.Timeout | undefined;

  constructor(
    readonly deps: LiveStores,
    httpServer: HttpServer,
  ) {
    this.#io = new Server(httpServer, { maxHttpBufferSize: 100_000, serveClient: false, ...SHARED_COMPRESSION });
    acceptSharedFrames(this.#io);
    this.#io.engine.on('headers', (headers: Record<string, string>, request: IncomingMessage) => {
      if (!deps.shutdown.isReady && !request.headers.upgrade) headers.connection = 'close';
    });
    this.#io.use((socket, next) => {
      const { token } = socket.handshake.auth as { token?: unknown };
      // The database's clock: events carry its time, and whoever comes back must not be told again what was before.
      Promise.all([
        findCaller(deps.pool, typeof token === 'string' ? token : ''),
        deps.pool.query<{ now: Date }>('SELECT now()'),
      ]).then(
        ([caller, { rows }]) => {
          if (!caller) return next(new Error('The token is unknown, revoked or expired.'));
          socket.data = { caller, token, told: new SentEvents(REMEMBER_MS), sinceMs: rows[0]!.now.getTime() };
          next();
        },
        (error: Error) => {
          this.#failed('connect', error);
          next(new Error('The database cannot be reached at the moment.'));
        },
      );
    });
    this.#io.on('connection', (socket) => this.#welcome(socket));
    this.#subscriber = connectRedis(deps.env.REDIS_URL, 'subscriber', deps.logger);
    void listen(this.#subscriber, ({ topic, id }) => {
      if (topic !== 'job') return;
      this.#wake(id);
      // The bell rings with every commit of a worker.
      this.#lookSoon ??= setTimeout(() => {
        this.#lookSoon = undefined;
        void this.#lookAtTeams();
      }, PUMP_GAP_MS);
    });
    this.#timer = setInterval(
      () => void Promise.all([this.#lookAtTeams(), this.#lookAtTokens(), this.#lookAtJobs()]),
      POLL_MS,
    );
    this.#countFailure = measureLive(this.#io);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#lookSoon);
    this.#subscriber.disconnect();
    await this.#io.close();
  }

  #welcome(socket: Socket): void {
    const caller = socket.data.caller as Caller;
    void socket.join(`team:${caller.teamId}`);
    const onError = (error: unknown, input?: { job_id: string }): Problem => {
      const { problem } = toProblem(error);
      if (problem.status >= 500) this.#failed('packet', error, { job: input?.job_id });
      return problem;
    };
    answerPackets(socket, 'subscribe', {
      schema: Subscribe,
      takes: '{job_id, after_seq?, batch?}',
      onError,
      handle: (input) => this.#turnsOf(caller.teamId).subscribe.run(() => this.#subscribe(socket, caller, input)),
    });
    answerPackets(socket, 'unsubscribe', {
      schema: Unsubscribe,
      takes: '{job_id}',
      onError,
      handle: ({ job_id: jobId }) => {
        this.#forget(socket, jobId);
        return { ok: true as const };
      },
    });
    refuseOtherPackets(socket, ['subscribe', 'unsubscribe'], onError);
    socket.on('disconnect', () => {
      for (const jobId of [...this.#watches.keys()]) this.#forget(socket, jobId);
    });
    // A slow client that has read what it was sent gets the next page. It says so of every packet, so most often
    // there is none.
    socket.conn.on('drain', () => {
      for (const [jobId, watch] of this.#watches)
        if ((watch.watchers.get(socket.id)?.cursor ?? Infinity) < watch.lastSeq) void this.#pump(jobId, watch);
    });
  }

  async #subscribe(
    socket: Socket,
    caller: Caller,
    { job_id: jobId, after_seq: afterSeq, batch }: Subscribe,
  ): Promise<Extract<SubscribeAnswer, { ok: true }>> {
    const [watched] = await watchedJobs(this.deps.pool, [jobId]);
    if (watched?.team_id !== caller.teamId) throw notFound('job', jobId);
    const [job, { targets, summaries }] = await Promise.all([
      readJob(this.deps.prisma, caller.teamId, jobId),
      readProgress(this.deps.pool, watched.run_id),
    ]);
    const last = watched.last_seq;
    const missed = last - (afterSeq ?? last);
    const truncated = missed > LARGEST_REPLAY;
    let watch = this.#watches.get(jobId);
    if (!watch)
      this.#watches.set(
        jobId,
        (watch = {
          teamId: caller.teamId,
          watchers: new Map(),
          runId: watched.run_id,
          pumping: false,
          again: false,
          lastPumpMs: 0,
          lastSeq: last,
        }),
      );
    watch.watchers.set(socket.id, { socket, cursor: truncated ? last : Math.min(afterSeq ?? last, last), batch });
    if (socket.disconnected) this.#forget(socket, jobId);
    // After the answer: setImmediate lets the acknowledgement go first.
    setImmediate(() => this.#wake(jobId));
    return {
      ok: true,
      snapshot: { job, progress: progressOf(watched, targets), summaries, last_seq: last },
      ...(truncated && { truncated: true as const, from_seq: last }),
    };
  }

  #forget(socket: Socket, jobId: string): void {
    const watch = this.#watches.get(jobId);
    if (!watch) return;
    watch.watchers.delete(socket.id);
    if (watch.watchers.size === 0) this.#watches.delete(jobId);
  }

  /** @param id of a job, or of a run whose job is watched */
  #wake(id: string): void {
    for (const [jobId, watch] of this.#watches) if (jobId === id || watch.runId === id) void this.#pump(jobId, watch);
  }

  /** Reads on for all watchers of a job until they have all that is in the log, or wait for their clients. */
  async #pump(jobId: string, watch: Watch): Promise<void> {
    watch.again = true;
    if (watch.pumping) return;
    watch.pumping = true;
    try {
      while (watch.again && watch.watchers.size > 0) {
        const waitMs = watch.lastPumpMs + Math.max(PUMP_GAP_MS, watch.watchers.size * GAP_PER_WATCHER_MS) - Date.now();
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        watch.lastPumpMs = Date.now();
        watch.again = false;
        await this.#turnsOf(watch.teamId).pump.run(() => this.#readOn(jobId, watch));
      }
    } catch (error) {
      this.#failed('job', error, { job: jobId });
    } finally {
      watch.pumping = false;
    }
  }

  async #readOn(jobId: string, watch: Watch): Promise<void> {
    const [job] = await watchedJobs(this.deps.pool, [jobId]);
    if (!job) return;
    watch.runId = job.run_id;
    watch.lastSeq = job.last_seq;
    await this.#tellAll(job, watch);
  }

  async #tellAll(job: WatchedJob, watch: Watch): Promise<void> {
    for (;;) {
      const behind = [...watch.watchers.values()].filter(
        ({ socket, cursor }) => cursor < job.last_seq && waitingPackets(socket).length < LARGEST_BACKLOG,
      );
      if (behind.length === 0) return;
      const from = Math.min(...behind.map((watcher) => watcher.cursor));
      const together = behind.filter((watcher) => watcher.cursor === from);
      const entries = await readLog(this.deps.pool, job, from, PAGE);
      if (entries.length === 0) return;
      const snapshots = entries.at(-1)!.seq >= job.last_seq ? await this.#snapshots(job.id) : [];
      // Not who went, or subscribed anew, while the log was read.
      const still = together.filter(
        (watcher) => watch.watchers.get(watcher.socket.id) === watcher && watcher.cursor === from,
      );
      for (const [batch, watchers] of Map.groupBy(still, (watcher) => watcher.batch)) {
        broadcast(
          watchers.map(({ socket }) => socket),
          [...messages(job.id, entries, batch), ...snapshots],
          this.#drop,
        );
      }
      const ofTeam = entries.filter(({ name }) => TEAM_EVENTS.includes(name));
      for (const watcher of still) {
        watcher.cursor = entries.at(-1)!.seq;
        for (const { seq } of ofTeam) firstTime(watcher.socket, job.id, seq);
      }
    }
  }

  /**
   * They go with the page that ends where the log did, so that nobody gets more of them than reads; and are read
   * after it, so that the last one is final.
   */
  async #snapshots(jobId: string): Promise<ServerMessage[]> {
    const [job] = await watchedJobs(this.deps.pool, [jobId]);
    if (!job) return [];
    const { targets } = await readProgress(this.deps.pool, job.run_id);
    const { id, last_seq: seq, done, total } = job;
    const ofJob: ServerMessage = [
      'job_progress',
      { job_id: id, seq, done, total, percent: total ? (100 * done) / total : 0 },
    ];
    return job.run_id === null ? [ofJob] : [['tool_eval_progress', progressOf(job, targets)], ofJob];
  }

  /** Whoever is behind though the bell was not heard. */
  async #wakeBehind(): Promise<void> {
    if (this.#watches.size === 0) return;
    for (const job of await watchedJobs(this.deps.pool, [...this.#watches.keys()])) {
      const watch = this.#watches.get(job.id);
      if (!watch || ![...watch.watchers.values()].some((watcher) => watcher.cursor < job.last_seq)) continue;
      void this.#pump(job.id, watch);
    }
  }

  /** Tells teams what was made and ended in the last seconds, each socket each event once. */
  async #tellTeams(): Promise<void> {
    const teams = Map.groupBy(
      this.#io.sockets.sockets.values(),
      (socket) => (socket.data as { caller: Caller }).caller.teamId,
    );
    if (teams.size === 0) return;
    for (const event of await teamEvents(this.deps.pool, [...teams.keys()], TEAM_WINDOW_S, TEAM_EVENTS)) {
      if (!this.#told.firstTime(event.job_id, event.seq)) continue;
      try {
        const entry = parsed(event);
        for (const socket of teams.get(event.team_id) ?? []) this.#tellOfTeam(socket, event.job_id, entry);
      } catch (error) {
        this.#failed('teams', error, { job: event.job_id });
      }
    }
  }

  #tellOfTeam(socket: Socket, jobId: string, entry: LogEntry): void {
    if (entry.at.getTime() < (socket.data as { sinceMs: number }).sinceMs) return;
    if (this.#watches.get(jobId)?.watchers.has(socket.id)) return; // its watch tells it, in its place
    if (!firstTime(socket, jobId, entry.seq)) return;
    try {
      const [name, said] = message(jobId, entry);
      socket.emit(name, said);
    } catch (error) {
      this.#drop(socket, error as Error);
    }
  }

  /** A revoked or expired token ends its connections. */
  async #endRevoked(): Promise<void> {
    const sockets = Map.groupBy(
      this.#io.sockets.sockets.values(),
      (socket) => (socket.data as { token: string }).token,
    );
    if (sockets.size === 0) return;
    const callers = await findCallers(this.deps.pool, [...sockets.keys()]);
    for (const [token, those] of sockets) if (!callers.has(token)) for (const socket of those) socket.disconnect(true);
  }

  /** Work that is repeated: it is not begun again while it goes on, and what it throws ends nothing but itself. */
  #alone(step: LiveStep, work: () => Promise<void>): () => Promise<void> {
    let busy = false;
    return async () => {
      if (busy) return;
      busy = true;
      try {
        await work();
      } catch (error) {
        this.#failed(step, error);
      } finally {
        busy = false;
      }
    };
  }

  #turnsOf(teamId: string): { subscribe: Semaphore; pump: Semaphore } {
    let turns = this.#turns.get(teamId);
    if (!turns) {
      const refusal = 'So many subscriptions of your team wait already. Try again in some seconds.';
      turns = { subscribe: new Semaphore(TEAM_READS, MOST_WAITING, refusal), pump: new Semaphore(TEAM_READS) };
      this.#turns.set(teamId, turns);
    }
    return turns;
  }

  /** A connection that does not take what it is sent is ended: its client comes back and goes on where it was. */
  readonly #drop = (socket: Socket, error: Error): void => {
    this.#failed('send', error);
    socket.conn.close();
  };

  #failed(step: LiveStep, error: unknown, of: { job?: string } = {}): void {
    const { message, stack } = error as Error;
    const { logger } = this.deps;
    const facts = { step, ...of, error: message, stack };
    this.#countFailure(step);
    if (step === 'packet') logger.error(facts, 'A subscription failed');
    else if (step === 'connect') logger.error(facts, 'A live connection could not be accepted');
    else logger[isTransient(error) ? 'debug' : 'warn'](facts, 'Live reading failed; it is repeated within seconds');
  }
}

/** Of a run, with what it had before it was resumed; of a job that is no run, what it did itself. */
function progressOf({ id, last_seq: seq, done, total }: WatchedJob, targets: RunTarget[]): Progress {
  const sum = (key: 'settled' | 'total'): number => targets.reduce((all, target) => all + target[key], 0);
  return {
    job_id: id,
    seq,
    ...(targets.length ? { current: sum('settled'), total: sum('total') } : { current: done, total }),
    targets,
  };
}

const message = (jobId: string, { name, seq, at, data }: LogEntry): ServerMessage =>
  [name, { job_id: jobId, seq, at: at.toISOString(), data } satisfies Envelope] as ServerMessage;

/** Whether a socket has not been told of an event of its team yet; from now on it was. */
const firstTime = (socket: Socket, jobId: string, seq: number): boolean =>
  (socket.data as { told: SentEvents }).told.firstTime(jobId, seq);

/** Entries in order; with `batch` many results in a row together. */
function messages(jobId: string, entries: readonly LogEntry[], batch: boolean): ServerMessage[] {
  const all: ServerMessage[] = [];
  for (let i = 0; i < entries.length; i++) {
    const results = batch ? resultsFrom(entries, i) : [];
    if (results.length <= LARGEST_SINGLE) {
      all.push(message(jobId, entries[i]!));
      continue;
    }
    i += results.length - 1;
    all.push([
      'tool_eval_results',
      {
        job_id: jobId,
        from_seq: results[0]!.seq,
        to_seq: results.at(-1)!.seq,
        results: results.map(({ seq, at, data }) => ({ seq, at: at.toISOString(), ...data })),
      },
    ]);
  }
  return all;
}

/** The results that follow each other from a place on. */
function resultsFrom(entries: readonly LogEntry[], from: number): (LogEntry & { name: 'tool_eval_result' })[] {
  const results = [];
  for (let i = from; entries[i]?.name === 'tool_eval_result'; i++)
    results.push(entries[i] as LogEntry & { name: 'tool_eval_result' });
  return results;
}
