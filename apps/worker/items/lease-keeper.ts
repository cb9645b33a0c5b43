import { Worker } from 'node:worker_threads';
import { LEASE_MS, type LeasedItem } from '#lib/db/engine/claim-items';
import type { Logger } from '#lib/runtime/logger';
import { threadModule } from '#lib/runtime/threads/thread-entry';
import type { LeaseReport, LeaseThreadData, LeaseCommand } from './lease-renewal.js';

const BEAT_EVERY_MS = 1000;
const RESTART_AFTER_MS = 1000;

/**
 * The thread that renews the leases of this process. Even when the event loop is blocked, leases of its items do not
 * expire, so no other process repeats a request that this one has made. A process that is blocked for longer than
 * `MAX_STAND_MS` loses its items.
 */
export class LeaseKeeper {
  readonly #beats = new Int32Array(new SharedArrayBuffer(4));
  readonly #beating: NodeJS.Timeout;
  #thread: Worker | undefined;
  #restarting: NodeJS.Timeout | undefined;
  #renewedAt = -Infinity;
  #isClosed = false;

  constructor(
    readonly of: {
      databaseUrl: string;
      workerId: string;
      logger: Logger;
      /** The claimed items by claim number, sent to a thread that starts later. */
      held: () => Iterable<[number, LeasedItem]>;
      /** Called with the claims that other processes hold by now. */
      onLost: (claims: ReadonlySet<number>) => void;
    },
  ) {
    this.#beating = setInterval(() => Atomics.add(this.#beats, 0, 1), BEAT_EVERY_MS);
    this.#start();
  }

  /** Whether the thread renews leases. While it does not, the main thread has to. */
  get isRenewing(): boolean {
    return performance.now() - this.#renewedAt < LEASE_MS / 2;
  }

  hold(claim: number, item: LeasedItem): void {
    this.#tell({ claim, hold: item });
  }

  drop(claim: number): void {
    this.#tell({ claim, drop: true });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#beating);
    clearTimeout(this.#restarting);
    await this.#thread?.terminate();
  }

  #tell(message: LeaseCommand): void {
    this.#thread?.postMessage(message);
  }

  #start(): void {
    const { databaseUrl, workerId, logger } = this.of;
    const data: LeaseThreadData = { databaseUrl, workerId, beats: this.#beats };
    const thread = new Worker(threadModule('apps/worker/items/lease-thread'), {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: 64 },
    });
    this.#thread = thread;
    thread.on('message', (message: LeaseReport) => this.#hear(message));
    thread.on('error', (error) => logger.error({ error: error.message }, 'The thread that renews leases failed'));
    thread.on('exit', () => {
      if (this.#isClosed) return;
      this.#thread = undefined;
      this.#renewedAt = -Infinity;
      logger.error(
        'The thread that renews leases ended; it will be restarted, and the main thread renews them meanwhile',
      );
      this.#restarting = setTimeout(() => this.#start(), RESTART_AFTER_MS);
    });
    for (const [claim, item] of this.of.held()) this.hold(claim, item);
  }

  #hear(message: LeaseReport): void {
    if ('renewed' in message) this.#renewedAt = performance.now();
    else if ('lost' in message) this.of.onLost(new Set(message.lost));
    else this.of.logger.warn({ error: message.failed }, 'Leases could not be renewed');
  }
}
