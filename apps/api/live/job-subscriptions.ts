import type { Server } from 'socket.io';
import { TEAM_EVENTS } from '#lib/contracts/values/jobs';
import type { ServerMessage, Subscribe, SubscribeAnswer } from '#lib/contracts/event';
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import type { Pool } from '#lib/db/connection/pool';
import { JobRepository } from '#lib/db/read/jobs';
import { readLog, readWatchedJobs, type WatchedJob } from '#lib/db/read/log';
import { readProgress } from '#lib/db/read/progress';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { countRefusal } from '../platform/refusal-metrics.js';
import { checkSuiteOf } from '../platform/token-limits.js';
import type { LiveSocket } from './connection.js';
import { emitTo, progressOf, toMessages } from './emit-events.js';

/** Minimum time between reads of a job's log: at most four progress messages a second. */
const READ_GAP_MS = 250;
/**
 * Read less often with very many subscribers: a write costs about 40 us of CPU, so sending stays below 2 % of a core.
 */
const GAP_PER_SUBSCRIBER_MS = 2;
const PAGE = 500;
/** A client that missed more reads it over HTTP. */
const MAX_REPLAY = 10_000;
/**
 * A client with this many unread packets gets no further page until it has read them. Nothing else is buffered for it.
 */
const MAX_WAITING_PACKETS = 2;
/**
 * Connections to Postgres, of the process's ten, that the subscribe packets of a team may use; reading the logs of its
 * jobs may use as many again.
 */
const MAX_TEAM_READS = 2;
const MAX_WAITING_SUBSCRIBES = 1000;

/** A subscribed socket and its position in the job's log. */
interface Subscriber {
  socket: LiveSocket;
  /** Sequence number of the last log entry that it was sent. */
  cursor: number;
  /** Whether results may be sent in batches. */
  batch: boolean;
}

interface WatchedLog {
  teamId: string;
  subscribers: Map<string, Subscriber>;
  runId: string | null;
  isReading: boolean;
  readAgain: boolean;
  lastReadMs: number;
  /** The last sequence number seen in the log. */
  lastSeq: number;
}

/**
 * Sends subscribers the logs of their jobs. Catching up and following are the same: every subscriber has a cursor, and
 * one that is behind is sent the next page from there. A lost notification therefore delays an event but never loses
 * it, and replicas do not need to coordinate. Subscribers with the same cursor share a page, which is read once. A
 * client that does not read gets no further page, and is disconnected when it misses a ping.
 */
export class JobSubscriptions {
  readonly #logs = new Map<string, WatchedLog>();
  /** By team. */
  readonly #subscribes = new KeyedSemaphore(
    MAX_TEAM_READS,
    MAX_WAITING_SUBSCRIBES,
    'Too many subscriptions of your team are waiting. Try again in a few seconds.',
  );
  /** By team. */
  readonly #reads = new KeyedSemaphore(MAX_TEAM_READS);

  constructor(
    readonly deps: {
      io: Server;
      pool: Pool;
      /** Jobs that one socket may follow. */
      mostOfSocket: number;
      onReadFailure: (error: unknown, jobId: string) => void;
      onSendFailure: (socket: LiveSocket, error: Error) => void;
    },
  ) {}

  /**
   * @throws ProblemError 403 for a suite that the token is not for, 404 for a job of another team, 429 when the socket
   *   follows as many jobs as it may, or too many packets of the team are waiting
   */
  async subscribe(socket: LiveSocket, input: Subscribe): Promise<Extract<SubscribeAnswer, { ok: true }>> {
    const { caller, subscribed } = socket.data;
    const { mostOfSocket } = this.deps;
    if (subscribed.size >= mostOfSocket && !subscribed.has(input.job_id)) {
      countRefusal('subscriptions');
      throw new ProblemError(429, `A live connection follows at most ${mostOfSocket} jobs. Unsubscribe from one.`).as(
        'rate_limited',
        { limit: 'subscriptions', most: mostOfSocket },
      );
    }
    subscribed.add(input.job_id);
    try {
      return await this.#subscribes.run(caller.teamId, () => this.#subscribe(socket, input));
    } finally {
      if (!this.isSubscribed(socket, input.job_id)) subscribed.delete(input.job_id);
    }
  }

  async #subscribe(
    socket: LiveSocket,
    { job_id: jobId, after_seq: afterSeq, batch }: Subscribe,
  ): Promise<Extract<SubscribeAnswer, { ok: true }>> {
    const { pool } = this.deps;
    const { teamId } = socket.data.caller;
    const [watched] = await readWatchedJobs(pool, [jobId]);
    if (watched?.team_id !== teamId) throw notFound('job', jobId);
    await checkSuiteOf(pool, socket.data.caller, jobId);
    const [job, { targets, summaries }] = await Promise.all([
      new JobRepository(pool, teamId).read(jobId),
      readProgress(pool, watched.run_id),
    ]);
    const last = watched.last_seq;
    const missed = last - (afterSeq ?? last);
    const truncated = missed > MAX_REPLAY;
    const cursor = truncated ? last : Math.min(afterSeq ?? last, last);
    // It may have unsubscribed or left since.
    if (socket.connected && socket.data.subscribed.has(jobId))
      this.#logOf(watched).subscribers.set(socket.id, { socket, cursor, batch });
    // `setImmediate` lets the acknowledgement go first.
    setImmediate(() => this.wake(jobId));
    return {
      ok: true,
      snapshot: { job, progress: progressOf(watched, targets), summaries, last_seq: last },
      ...(truncated && { truncated: true as const, from_seq: last }),
    };
  }

  unsubscribe(socket: LiveSocket, jobId: string): void {
    socket.data.subscribed.delete(jobId);
    const log = this.#logs.get(jobId);
    if (!log) return;
    log.subscribers.delete(socket.id);
    if (log.subscribers.size === 0) this.#logs.delete(jobId);
  }

  unsubscribeAll(socket: LiveSocket): void {
    for (const jobId of [...socket.data.subscribed]) this.unsubscribe(socket, jobId);
  }

  isSubscribed(socket: LiveSocket, jobId: string): boolean {
    return this.#logs.get(jobId)?.subscribers.has(socket.id) ?? false;
  }

  /** Reads the log of a job. @param id of the job or of its run */
  wake(id: string): void {
    for (const [jobId, log] of this.#logs) if (jobId === id || log.runId === id) void this.#read(jobId, log);
  }

  /** Sends a slow client the next page, now that it has read the previous one. */
  resume(socket: LiveSocket): void {
    for (const jobId of socket.data.subscribed) {
      const log = this.#logs.get(jobId);
      if (log && (log.subscribers.get(socket.id)?.cursor ?? Infinity) < log.lastSeq) void this.#read(jobId, log);
    }
  }

  /** Reads the logs that have grown, in case a notification was lost. */
  async wakeBehind(): Promise<void> {
    if (this.#logs.size === 0) return;
    for (const job of await readWatchedJobs(this.deps.pool, [...this.#logs.keys()])) {
      const log = this.#logs.get(job.id);
      const isBehind = [...(log?.subscribers.values() ?? [])].some(({ cursor }) => cursor < job.last_seq);
      if (log && isBehind) void this.#read(job.id, log);
    }
  }

  /** Reads on until every subscriber of a job has the whole log, or waits for its client. */
  async #read(jobId: string, log: WatchedLog): Promise<void> {
    log.readAgain = true;
    if (log.isReading) return;
    log.isReading = true;
    try {
      while (log.readAgain && log.subscribers.size > 0) {
        const gapMs = Math.max(READ_GAP_MS, log.subscribers.size * GAP_PER_SUBSCRIBER_MS);
        const waitMs = log.lastReadMs + gapMs - Date.now();
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        log.lastReadMs = Date.now();
        log.readAgain = false;
        await this.#reads.run(log.teamId, () => this.#sendNew(jobId, log));
      }
    } catch (error) {
      this.deps.onReadFailure(error, jobId);
    } finally {
      log.isReading = false;
    }
  }

  async #sendNew(jobId: string, log: WatchedLog): Promise<void> {
    const [job] = await readWatchedJobs(this.deps.pool, [jobId]);
    if (!job) return;
    log.runId = job.run_id;
    log.lastSeq = job.last_seq;
    while (await this.#sendPage(job, log));
  }

  /** Sends the next page to the subscribers that are furthest behind. @returns whether there was one */
  async #sendPage(job: WatchedJob, log: WatchedLog): Promise<boolean> {
    const behind = [...log.subscribers.values()].filter(
      ({ socket, cursor }) => cursor < job.last_seq && socket.data.unsent.waiting < MAX_WAITING_PACKETS,
    );
    if (behind.length === 0) return false;
    const from = Math.min(...behind.map(({ cursor }) => cursor));
    const entries = await readLog(this.deps.pool, job, from, PAGE);
    if (entries.length === 0) return false;
    const progress = entries.at(-1)!.seq >= job.last_seq ? await this.#progressMessages(job.id) : [];
    // Omits sockets that unsubscribed, or subscribed again, while the log was read.
    const current = behind.filter(
      (subscriber) => log.subscribers.get(subscriber.socket.id) === subscriber && subscriber.cursor === from,
    );
    for (const [batch, subscribers] of Map.groupBy(current, (subscriber) => subscriber.batch)) {
      const sockets = subscribers.map(({ socket }) => socket);
      try {
        emitTo(this.deps.io, sockets, [...toMessages(job.id, entries, batch), ...progress]);
      } catch (error) {
        for (const socket of sockets) this.deps.onSendFailure(socket, error as Error);
      }
    }
    const teamEvents = entries.filter(({ name }) => TEAM_EVENTS.includes(name));
    for (const subscriber of current) {
      subscriber.cursor = entries.at(-1)!.seq;
      for (const { seq } of teamEvents) subscriber.socket.data.sent.add(job.id, seq);
    }
    return true;
  }

  /**
   * Progress is sent with the last page of the log, so that no client gets more progress messages than pages. It is
   * read after that page, so that the last progress is final.
   */
  async #progressMessages(jobId: string): Promise<ServerMessage[]> {
    const [job] = await readWatchedJobs(this.deps.pool, [jobId]);
    if (!job) return [];
    const { targets } = await readProgress(this.deps.pool, job.run_id);
    const { id, last_seq: seq, done, total } = job;
    const ofJob: ServerMessage = [
      'job_progress',
      { job_id: id, seq, done, total, percent: total ? (100 * done) / total : 0 },
    ];
    return job.run_id === null ? [ofJob] : [['tool_eval_progress', progressOf(job, targets)], ofJob];
  }

  #logOf({ id, team_id: teamId, run_id: runId, last_seq: lastSeq }: WatchedJob): WatchedLog {
    let log = this.#logs.get(id);
    if (!log) {
      log = { teamId, subscribers: new Map(), runId, isReading: false, readAgain: false, lastReadMs: 0, lastSeq };
      this.#logs.set(id, log);
    }
    return log;
  }
}
