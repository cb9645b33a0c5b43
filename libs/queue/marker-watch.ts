import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ReplyError } from 'ioredis';
import type { Redis } from '#lib/runtime/redis';
import type { Logger } from '#lib/runtime/logger';

/** Redis keys of a queue: its waiting jobs, and the sorted set that tells that there are some. */
export interface WatchedQueue {
  wait: string;
  marker: string;
}

/** @property score when to look for a job, in ms since 1970; 0: now */
export interface Marker {
  member: string;
  score: number;
}

interface Waiter extends WatchedQueue {
  resolve: (marker: Marker | null) => void;
}

/** A queue whose marker was lost, because a process died after popping it, is noticed within this time. */
const CHECK_MS = 1000;
const MIN_BLOCK_MS = 20;
const RETRY_MS = 100;
/** The marker of a queue that failed is left alone for this long; its waiting jobs are still looked for. */
const DISTRUST_MS = 10_000;
/** In a Redis Cluster a queue is polled, the more rarely the longer it has been empty. */
const MIN_POLL_MS = 20;
const MAX_POLL_MS = 500;

/** Given to those who shall no longer wait: there is no job, and never will be. */
const NOTHING: Marker = { member: '', score: Infinity };

/**
 * Waits for the markers of any number of queues over one connection to Redis. BullMQ adds a marker to a queue with
 * each job, and whoever pops it looks for jobs. A blocking command ends when one of its keys has a marker; it is sent
 * again when a queue joins, for which it also waits for a key of this process. A popped queue does not take part until
 * it waits again, behind the others, so that a busy queue does not hold up the rest.
 */
export class MarkerWatch {
  /** By marker key, the longest waiting first. */
  readonly #waiting = new Map<string, Waiter>();
  readonly #distrusted = new Map<string, number>();
  readonly #wakeKey = `toolmark:wake:${randomUUID()}`;
  #redis: Redis | undefined;
  #isBlocked = false;
  #isRunning = false;
  #isClosed = false;
  #checkedAt = 0;

  /**
   * @param deps.commands a connection that other commands also use; it is never blocked
   * @param deps.connect opens the connection that is blocked; its commands fail at once while Redis is down, and if
   *   they hang
   */
  constructor(readonly deps: { commands: Redis; connect: () => Redis; logger: Logger }) {}

  /** @returns the marker that was popped, or null if the time is up or the queue has jobs: look for one */
  wait({ wait, marker }: WatchedQueue, seconds: number): Promise<Marker | null> {
    if (this.#isClosed) return Promise.resolve(NOTHING);
    this.#settle(marker, null);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(marker, null), seconds * 1000);
      const waiter: Waiter = {
        wait,
        marker,
        resolve: (popped) => {
          clearTimeout(timer);
          resolve(popped);
        },
      };
      this.#waiting.set(marker, waiter);
      if (this.deps.commands.isCluster) void this.#poll(waiter);
      else this.#join();
    });
  }

  /** Ends the wait for a queue: its waiter looks for no job. A marker that arrives meanwhile is put back. */
  stop(marker: string): void {
    this.#settle(marker, NOTHING);
  }

  close(): void {
    this.#isClosed = true;
    for (const marker of this.#waiting.keys()) this.stop(marker);
    this.#redis?.disconnect();
  }

  #settle(marker: string, popped: Marker | null): boolean {
    const waiter = this.#waiting.get(marker);
    this.#waiting.delete(marker);
    waiter?.resolve(popped);
    return waiter !== undefined;
  }

  #join(): void {
    if (!this.#isRunning) void this.#run();
    if (!this.#isBlocked) return;
    this.#isBlocked = false; // One wake is enough for all that join until the command is sent again.
    // If it is lost, the command ends by itself within CHECK_MS.
    void this.deps.commands.zadd(this.#wakeKey, 0, '0').catch(() => {});
    void this.deps.commands.pexpire(this.#wakeKey, 10 * CHECK_MS).catch(() => {});
  }

  /** Runs while a queue waits. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.size > 0 && !this.#isClosed) {
      this.#redis ??= this.deps.connect();
      try {
        if (performance.now() >= this.#checkedAt + CHECK_MS) await this.#check(this.#redis);
        await this.#block(this.#redis);
      } catch (error) {
        this.#replaceIfStuck(error as Error);
        await delay(RETRY_MS);
      }
    }
    this.#isRunning = false;
  }

  /** Lets those look for a job whose queue has one. */
  async #check(redis: Redis): Promise<void> {
    this.#checkedAt = performance.now();
    const queues = [...this.#waiting.values()];
    if ((await redis.exists(queues.map(({ wait }) => wait))) === 0) return;
    const filled = await Promise.all(queues.map(({ wait }) => redis.exists(wait)));
    queues.forEach(({ marker }, index) => filled[index] && this.#settle(marker, null));
  }

  async #block(redis: Redis): Promise<void> {
    const markers = [...this.#waiting.keys()].filter((marker) => !this.#isDistrusted(marker));
    const ms = Math.max(MIN_BLOCK_MS, this.#checkedAt + CHECK_MS - performance.now());
    this.#isBlocked = true;
    try {
      const popped = await redis.bzpopmin(...markers, this.#wakeKey, ms / 1000);
      if (popped) this.#deliver(popped[0], { member: popped[1], score: Number(popped[2]) });
    } catch (error) {
      if (!(error instanceof ReplyError)) throw error;
      await this.#popEach(redis, markers, error as Error);
    } finally {
      this.#isBlocked = false;
    }
  }

  /** Finds the queues because of which a command for all of them failed, and pops the markers of the others. */
  async #popEach(redis: Redis, markers: string[], reason: Error): Promise<void> {
    const replies = await Promise.allSettled(markers.map((marker) => redis.zpopmin(marker)));
    if (replies.every(({ status }) => status === 'rejected')) throw reason;
    replies.forEach((reply, index) => {
      const marker = markers[index]!;
      if (reply.status === 'fulfilled') {
        const [member, score] = reply.value;
        if (member !== undefined) this.#deliver(marker, { member, score: Number(score) });
      } else {
        this.#distrusted.set(marker, performance.now() + DISTRUST_MS);
        this.deps.logger.warn({ key: marker, error: String(reply.reason) }, 'The queue of a lane is damaged in Redis');
      }
    });
  }

  #isDistrusted(marker: string): boolean {
    const until = this.#distrusted.get(marker);
    if (until !== undefined && until < performance.now()) this.#distrusted.delete(marker);
    return this.#distrusted.has(marker);
  }

  #deliver(key: string, marker: Marker): void {
    if (key === this.#wakeKey || this.#settle(key, marker)) return;
    // Nobody waits here any more; another process does.
    void this.deps.commands.zadd(key, marker.score, marker.member).catch(() => {});
  }

  /** A connection that is open but does not work is replaced; one that was lost is restored by itself. */
  #replaceIfStuck(error: Error): void {
    this.deps.logger.debug({ error: error.message }, 'Waiting for queued items failed');
    if (this.#redis?.status !== 'ready' && this.#redis?.status !== 'end') return;
    this.#redis.disconnect();
    this.#redis = undefined;
  }

  /** In a Redis Cluster no command waits for keys of several slots. */
  async #poll({ wait, marker, resolve }: Waiter): Promise<void> {
    const since = performance.now();
    while (this.#waiting.get(marker)?.resolve === resolve) {
      await delay(Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, (performance.now() - since) / 4)));
      const isFilled = (await this.deps.commands.exists(wait).catch(() => 0)) > 0;
      if (isFilled && this.#waiting.get(marker)?.resolve === resolve) this.#settle(marker, null);
    }
  }
}
