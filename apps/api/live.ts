import type { Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'socket.io';
import { Subscribe, TEAM_EVENTS, type Envelope, type Progress, type ResultsBatch, type SubscribeAnswer } from '#lib/contracts/event';
import { notFound, pointer, ProblemError } from '#lib/contracts/problem';
import { readJob } from '#lib/db/read-jobs';
import { readLog, readProgress, teamEvents, watchedJobs, type LogEntry, type WatchedJob } from '#lib/db/read-log';
import { findCaller, type Caller } from '#lib/db/teams';
import { listen } from '#lib/events/doorbell';
import { connectRedis } from '#lib/runtime/redis';
import { acceptSharedFrames, broadcast, SHARED_COMPRESSION } from './broadcast.js';
import type { Deps } from './deps.js';
import { measureLive, waitingPackets } from './live-metrics.js';
import { toProblem } from './problem.filter.js';

/** Behind the doorbell, for when it was not heard. */
const POLL_MS = 2000;
/** A watched job is read at most this often: four snapshots a second. */
const PUMP_GAP_MS = 250;
/** With very many watchers less often: a write costs some 40 us of CPU, so this keeps telling them below 2 % of a core. */
const GAP_PER_WATCHER_MS = 2;
/** With four reads a second, more results than this in one read would be more than twenty messages a second. */
const LARGEST_SINGLE = 5;
const PAGE = 500;
/** Who missed more reads them over HTTP. */
const LARGEST_REPLAY = 10_000;
/** Packets that may wait for a slow client, beside those on their way; it is read on for when they are gone. Nothing else is kept for it. */
const LARGEST_BACKLOG = 2;

/** A socket's place in a job's log. */
interface Watcher {
  socket: Socket;
  cursor: number;
}

interface Watch {
  watchers: Map<string, Watcher>;
  runId: string | null;
  pumping: boolean;
  again: boolean;
  lastPumpMs: number;
  /** As far as the log was seen to go. */
  lastSeq: number;
}

/**
 * Live results over Socket.IO. The log in Postgres is what is told; Redis only says that there is something to read. Catching up
 * and following are the same thing: every watcher has a cursor, and whoever is behind is read the next page from there. So a
 * lost message delays an event and loses none, and replicas need to know nothing of each other. Watchers at the same place are told
 * together: their page is read and serialised once. Who does not read gets no further page, and is dropped when it misses a ping.
 */
export class Live {
  readonly #io: Server;
  readonly #watches = new Map<string, Watch>();
  readonly #subscriber;
  readonly #timer: NodeJS.Timeout;
  /** Team events that were told, so that each is told once though the last seconds are read again and again. */
  #told = new Map<string, number>();
  #lookingAtTeams = false;
  #lookSoon: NodeJS.Timeout | undefined;

  constructor(readonly deps: Deps, httpServer: HttpServer) {
    this.#io = new Server(httpServer, { maxHttpBufferSize: 100_000, serveClient: false, ...SHARED_COMPRESSION });
    acceptSharedFrames(this.#io);
    this.#io.use((socket, next) => {
      const token: unknown = socket.handshake.auth.token;
      // The database's clock: events carry its time, and whoever comes back must not be told again what was before.
      Promise.all([findCaller(deps.pool, typeof token === 'string' ? token : ''), deps.pool.query<{ now: Date }>('SELECT now()')]).then(
        ([caller, { rows }]) => {
          if (!caller) return next(new Error('The token is unknown, revoked or expired.'));
          socket.data = { caller, token, told: new Set<string>(), sinceMs: rows[0]!.now.getTime() };
          next();
        },
        (error: Error) => {
          this.deps.logger.error({ error: error.message, stack: error.stack }, 'A live connection could not be accepted');
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
    this.#timer = setInterval(() => void this.#poll(), POLL_MS);
    measureLive(this.#io);
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
    socket.on('subscribe', (input: unknown, acknowledge: unknown) => {
      if (typeof acknowledge !== 'function') return;
      this.#subscribe(socket, caller, input).then(
        (answer) => acknowledge(answer),
        (error: unknown) => {
          const { problem } = toProblem(error);
          if (problem.status >= 500) {
            const { message, stack } = error as Error;
            this.deps.logger.error({ error: message, stack, job: (input as { job_id?: unknown }).job_id }, 'A subscription failed');
          }
          acknowledge({ ok: false, error: problem } satisfies SubscribeAnswer);
        },
      );
    });
    socket.on('unsubscribe', (input: { job_id?: unknown } | undefined, acknowledge: unknown) => {
      this.#forget(socket, String(input?.job_id));
      if (typeof acknowledge === 'function') acknowledge({ ok: true });
    });
    socket.on('disconnect', () => {
      for (const jobId of [...this.#watches.keys()]) this.#forget(socket, jobId);
    });
    // A slow client that has read what it was sent gets the next page. It says so of every packet, so most often there is none.
    socket.conn.on('drain', () => {
      for (const [jobId, watch] of this.#watches) if ((watch.watchers.get(socket.id)?.cursor ?? Infinity) < watch.lastSeq) void this.#pump(jobId, watch);
    });
  }

  async #subscribe(socket: Socket, caller: Caller, input: unknown): Promise<SubscribeAnswer> {
    const parsed = Subscribe.safeParse(input);
    if (!parsed.success) {
      throw new ProblemError(400, 'subscribe takes {job_id, after_seq?}.', parsed.error.issues.map((issue) => ({ path: pointer(issue.path), message: issue.message })));
    }
    const { job_id: jobId, after_seq: afterSeq } = parsed.data;
    const [watched] = await watchedJobs(this.deps.pool, [jobId]);
    if (watched?.team_id !== caller.teamId) throw notFound('job', jobId);
    const [job, { targets, summaries }] = await Promise.all([readJob(this.deps.prisma, caller.teamId, jobId), readProgress(this.deps.pool, watched.run_id)]);
    const last = watched.last_seq;
    const missed = last - (afterSeq ?? last);
    const truncated = missed > LARGEST_REPLAY;
    let watch = this.#watches.get(jobId);
    if (!watch) this.#watches.set(jobId, (watch = { watchers: new Map(), runId: watched.run_id, pumping: false, again: false, lastPumpMs: 0, lastSeq: last }));
    watch.watchers.set(socket.id, { socket, cursor: truncated ? last : Math.min(afterSeq ?? last, last) });
    if (socket.disconnected) this.#forget(socket, jobId);
    // After the answer: setImmediate lets the acknowledgement go first.
    setImmediate(() => this.#wake(jobId));
    return {
      ok: true,
      snapshot: { job, progress: { job_id: jobId, seq: last, current: job.progress.done, total: job.progress.total, targets }, summaries, last_seq: last },
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
        const [job] = await watchedJobs(this.deps.pool, [jobId]);
        if (!job) break;
        watch.runId = job.run_id;
        watch.lastSeq = job.last_seq;
        await this.#tellAll(job, watch);
      }
    } catch (error) {
      this.deps.logger.warn({ job: jobId, error: (error as Error).message }, 'Live events could not be read; they will be within seconds');
    } finally {
      watch.pumping = false;
    }
  }

  async #tellAll(job: WatchedJob, watch: Watch): Promise<void> {
    for (;;) {
      const behind = [...watch.watchers.values()].filter(({ socket, cursor }) => cursor < job.last_seq && waitingPackets(socket).length < LARGEST_BACKLOG);
      if (behind.length === 0) return;
      const from = Math.min(...behind.map((watcher) => watcher.cursor));
      const together = behind.filter((watcher) => watcher.cursor === from);
      const entries = await readLog(this.deps.pool, job, from, PAGE);
      if (entries.length === 0) return;
      const snapshots = entries.at(-1)!.seq >= job.last_seq ? await this.#snapshots(job) : [];
      // Not who went, or subscribed anew, while the log was read.
      const still = together.filter((watcher) => watch.watchers.get(watcher.socket.id) === watcher && watcher.cursor === from);
      tell(still.map(({ socket }) => socket), job.id, entries, snapshots);
      for (const watcher of still) watcher.cursor = entries.at(-1)!.seq;
    }
  }

  /** They go with the page that ends where the log does, so that nobody gets more of them than reads. */
  async #snapshots(job: WatchedJob): Promise<[string, object][]> {
    const { targets } = await readProgress(this.deps.pool, job.run_id);
    const sum = (key: 'settled' | 'total'): number => targets.reduce((total, target) => total + target[key], 0);
    const [current, total] = [sum('settled'), sum('total')];
    return [
      ['tool_eval_progress', { job_id: job.id, seq: job.last_seq, current, total, targets } satisfies Progress],
      ['job_progress', { job_id: job.id, seq: job.last_seq, done: current, total, percent: total ? (100 * current) / total : 0 }],
    ];
  }

  async #poll(): Promise<void> {
    try {
      await Promise.all([this.#lookAtTeams(), this.#lookAtTokens()]);
      const jobs = await watchedJobs(this.deps.pool, [...this.#watches.keys()]);
      for (const job of jobs) {
        const watch = this.#watches.get(job.id);
        if (watch && [...watch.watchers.values()].some((watcher) => watcher.cursor < job.last_seq)) void this.#pump(job.id, watch);
      }
    } catch (error) {
      this.deps.logger.debug({ error: (error as Error).message }, 'Looking for live events failed; it is repeated');
    }
  }

  /** Tells teams what was made and ended in the last seconds, each socket each event once. */
  async #lookAtTeams(): Promise<void> {
    if (this.#lookingAtTeams || this.#io.sockets.sockets.size === 0) return;
    this.#lookingAtTeams = true;
    try {
      // Events get their time when their transaction begins, and are seen when it commits: the window overlaps generously.
      const sinceMs = Date.now() - 15_000;
      for (const event of await teamEvents(this.deps.pool, new Date(sinceMs), TEAM_EVENTS)) {
        const key = `${event.job_id}:${event.seq}`;
        if (this.#told.has(key)) continue;
        this.#told.set(key, event.at.getTime());
        for (const socket of this.#io.sockets.sockets.values()) {
          const { caller, sinceMs: connectedMs } = socket.data as { caller: Caller; sinceMs: number };
          if (caller.teamId !== event.team_id || event.at.getTime() < connectedMs) continue;
          if (this.#watches.get(event.job_id)?.watchers.has(socket.id)) continue; // its watch tells it, in its place
          if (firstTime(socket, event.job_id, event.seq)) socket.emit(event.name, envelope(event.job_id, event));
        }
      }
      for (const [key, atMs] of this.#told) if (atMs < sinceMs - 60_000) this.#told.delete(key);
    } catch (error) {
      this.deps.logger.debug({ error: (error as Error).message }, 'Looking for team events failed; it is repeated');
    } finally {
      this.#lookingAtTeams = false;
    }
  }

  /** A revoked or expired token ends its connections. */
  async #lookAtTokens(): Promise<void> {
    const sockets = [...this.#io.sockets.sockets.values()];
    const tokens = new Set(sockets.map((socket) => (socket.data as { token: string }).token));
    for (const token of tokens) {
      if (await findCaller(this.deps.pool, token)) continue;
      for (const socket of sockets) if ((socket.data as { token: string }).token === token) socket.disconnect(true);
    }
  }
}

const envelope = (jobId: string, { seq, at, data }: LogEntry): Envelope => ({ job_id: jobId, seq, at: at.toISOString(), data });

/** A team's event reaches a socket on two ways, once. */
function firstTime(socket: Socket, jobId: string, seq: number): boolean {
  const { told } = socket.data as { told: Set<string> };
  return told.size < told.add(`${jobId}:${seq}`).size;
}

/** Sends entries in order, many results in a row together, and snapshots after them. */
function tell(sockets: Socket[], jobId: string, entries: LogEntry[], snapshots: [string, object][]): void {
  let events: [string, object][] = [];
  for (let i = 0; i < entries.length; ) {
    let end = i;
    while (end < entries.length && entries[end]!.name === 'tool_eval_result') end++;
    if (end - i > LARGEST_SINGLE) {
      const results = entries.slice(i, end);
      events.push(['tool_eval_results', {
        job_id: jobId, from_seq: results[0]!.seq, to_seq: results.at(-1)!.seq, results: results.map(({ seq, at, data }) => ({ seq, at: at.toISOString(), ...data })),
      } satisfies ResultsBatch]);
      i = end;
      continue;
    }
    const entry = entries[i++]!;
    const event: [string, object] = [entry.name, envelope(jobId, entry)];
    if (TEAM_EVENTS.includes(entry.name)) {
      // Not to those that had this one without asking.
      broadcast(sockets, events);
      broadcast(sockets.filter((socket) => firstTime(socket, jobId, entry.seq)), [event]);
      events = [];
    } else events.push(event);
  }
  broadcast(sockets, [...events, ...snapshots]);
}
