import { MAX_RESPONSE_BYTES, ResponseTooLarge } from './response-limits.js';

/** Smaller responses are not counted: most replies take some kilobytes, and a process holds hundreds of those. */
export const SMALL_RESPONSE_BYTES = 64 * 1024;

interface Limits {
  /** Bytes of large responses that the process holds. */
  process: number;
  /** Bytes of those that one lane holds. */
  lane: number;
}

interface Waiter {
  bytes: number;
  grant: () => void;
}

interface LaneQueue {
  heldBytes: number;
  waiters: Waiter[];
}

/**
 * Limits the memory that large responses take in a process, in total and per lane. A lane grants in the order of the
 * requests, and lanes take turns. An item that holds memory never waits for more: it asks once, for the most that it
 * may need, so that two items cannot wait for each other.
 */
export class ReplyMemoryPool {
  readonly #lanes = new Map<string, LaneQueue>();
  #heldBytes = 0;

  constructor(readonly limits: Limits = { process: 256 * 2 ** 20, lane: 64 * 2 ** 20 }) {}

  /** The memory of one item. The item releases it when it no longer holds its replies. */
  forItem(lane: string): ReplyMemory {
    return new ReplyMemory(this, lane);
  }

  /** Bytes that are granted. */
  get held(): number {
    return this.#heldBytes;
  }

  /** @returns undefined when the bytes are granted at once; else a promise of the grant, and how to stop waiting */
  take(laneId: string, bytes: number): { granted: Promise<void>; giveUp: () => void } | undefined {
    let lane = this.#lanes.get(laneId);
    if (!lane) this.#lanes.set(laneId, (lane = { heldBytes: 0, waiters: [] }));
    const { waiters } = lane;
    let isGranted = false;
    let resolveGrant = (): void => {};
    const waiter: Waiter = { bytes, grant: () => ((isGranted = true), resolveGrant()) };
    waiters.push(waiter);
    this.#grantWaiting();
    if (isGranted) return undefined;
    const giveUp = (): void => {
      const index = waiters.indexOf(waiter);
      if (index < 0) return;
      waiters.splice(index, 1);
      this.#grantWaiting();
    };
    return { granted: new Promise<void>((resolve) => (resolveGrant = resolve)), giveUp };
  }

  release(laneId: string, bytes: number): void {
    const lane = this.#lanes.get(laneId);
    if (!lane || bytes === 0) return;
    lane.heldBytes -= bytes;
    this.#heldBytes -= bytes;
    this.#grantWaiting();
  }

  #grantWaiting(): void {
    while (this.#grantNext());
  }

  /** @returns whether a waiter got its memory */
  #grantNext(): boolean {
    for (const [laneId, lane] of this.#lanes) {
      const first = lane.waiters[0];
      if (!first) {
        if (lane.heldBytes === 0) this.#lanes.delete(laneId);
        continue;
      }
      if (lane.heldBytes + first.bytes > this.limits.lane) continue;
      // When the process is full, nobody overtakes the lane whose turn it is: small responses always would.
      if (this.#heldBytes + first.bytes > this.limits.process) return false;
      lane.waiters.shift();
      lane.heldBytes += first.bytes;
      this.#heldBytes += first.bytes;
      // The lane that was served goes to the end of the queue.
      this.#lanes.delete(laneId);
      this.#lanes.set(laneId, lane);
      first.grant();
      return true;
    }
    return false;
  }
}

/** The memory of one item for its large responses: at most that of the largest one, for all rounds together. */
export class ReplyMemory {
  /** Whether the item keeps several responses, as a chain does. It then asks for the memory of all of them at once. */
  keepsAllRounds = false;
  #reserved = 0;
  #kept = 0;
  #arriving = 0;
  #waiting: { giveUp: () => void } | undefined;
  #isReleased = false;

  constructor(
    readonly pool: ReplyMemoryPool,
    readonly lane: string,
  ) {}

  /** Bytes of the large responses that the item keeps. */
  get kept(): number {
    return this.#kept;
  }

  /**
   * Reserves memory for a response that is arriving and no longer small.
   * @param bytes the size of the response, when it is known; the largest allowed size otherwise
   * @returns undefined when reading can go on, else a promise that resolves when it can
   * @throws ResponseTooLarge when there is no room for it beside the earlier rounds
   */
  reserve(bytes = MAX_RESPONSE_BYTES): Promise<void> | undefined {
    this.recordArrival(this.#arriving);
    const needed = this.keepsAllRounds ? MAX_RESPONSE_BYTES : Math.min(this.#kept + bytes, MAX_RESPONSE_BYTES);
    if (needed <= this.#reserved) return undefined;
    // Nothing is kept yet: only the first large response reserves memory.
    this.#shrinkTo(0);
    const waiting = this.pool.take(this.lane, needed);
    if (!waiting) {
      this.#reserved = needed;
      return undefined;
    }
    this.#waiting = waiting;
    return waiting.granted.then(() => {
      this.#waiting = undefined;
      this.#reserved = needed;
      if (this.#isReleased) this.#shrinkTo(0);
    });
  }

  /** @param bytes of the response that have arrived so far @throws ResponseTooLarge */
  recordArrival(bytes: number): void {
    this.#arriving = bytes;
    if (this.#kept + bytes > MAX_RESPONSE_BYTES) {
      throw new ResponseTooLarge(
        `The provider's answers to one chain are larger than ${MAX_RESPONSE_BYTES / 2 ** 20} MiB together.`,
      );
    }
  }

  /** Keeps the response that arrived. */
  keep(): void {
    this.#kept += this.#arriving;
    this.#arriving = 0;
    if (!this.keepsAllRounds) this.#shrinkTo(this.#kept);
  }

  /** Drops the response that was arriving: another attempt starts again. */
  drop(): void {
    this.#arriving = 0;
    this.#waiting?.giveUp();
    this.#waiting = undefined;
    if (this.#kept === 0) this.#shrinkTo(0);
  }

  /** Gives everything back: the item no longer holds its replies. */
  release(): void {
    this.#isReleased = true;
    this.#kept = 0;
    this.drop();
  }

  #shrinkTo(bytes: number): void {
    const rest = this.#reserved - bytes;
    if (rest <= 0) return;
    this.#reserved = bytes;
    this.pool.release(this.lane, rest);
  }
}

/** What `createGuardedFetch` takes beside the options of every `fetch`. */
export interface GuardedRequestInit extends RequestInit {
  replyMemory?: ReplyMemory;
}
