import type { ClientKeyPair } from '#lib/egress/authorities';
import { MemoryPool } from '#lib/runtime/memory-pool';
import { MAX_RESPONSE_BYTES, ResponseTooLarge } from './response-limits.js';

/** Smaller responses are not counted: most replies take a few kilobytes, and a process holds hundreds of those. */
export const SMALL_RESPONSE_BYTES = 64 * 1024;

/**
 * Limits the memory of large responses in a process, in total and per lane. An item that holds memory never waits for
 * more: it asks once, for the most that it may need, so that two items cannot deadlock.
 */
export class ReplyMemoryPool extends MemoryPool {
  /** @param mib the limit of the process; a lane may hold half of it */
  static of(mib: number): ReplyMemoryPool {
    return new ReplyMemoryPool({ process: mib * 2 ** 20, lane: mib * 2 ** 19 });
  }

  /** The memory of one item. The item releases it when it no longer holds its replies. */
  forItem(lane: string): ReplyMemory {
    return new ReplyMemory(this, lane);
  }
}

/** The memory of one item for its large responses: at most that of the largest one, for all rounds together. */
export class ReplyMemory {
  /** Whether the item keeps several responses, as a chain does. It then reserves the memory for all of them at once. */
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
   * @param bytes the size of the response, if known; the largest allowed size otherwise
   * @returns undefined if reading can continue, else a promise that resolves when it can
   * @throws ResponseTooLarge if there is no room for it in addition to the earlier rounds
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

  /** Keeps the arrived response. */
  keep(): void {
    this.#kept += this.#arriving;
    this.#arriving = 0;
    if (!this.keepsAllRounds) this.#shrinkTo(this.#kept);
  }

  /** Drops the arriving response: another attempt starts over. */
  drop(): void {
    this.#arriving = 0;
    this.#waiting?.giveUp();
    this.#waiting = undefined;
    if (this.#kept === 0) this.#shrinkTo(0);
  }

  /** Releases everything: the item no longer holds its replies. */
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

/** The options of `createGuardedFetch` in addition to those of every `fetch`. */
export interface GuardedRequestInit extends RequestInit {
  replyMemory?: ReplyMemory | undefined;
  /** Masked in an error of the host. */
  secrets?: readonly string[] | undefined;
  /** Proves to the host who is asking. Connections with it are shared with no other provider. */
  clientCertificate?: ClientKeyPair | undefined;
}
