import { ResponseTooLarge, MAX_RESPONSE_BYTES } from './guarded/response-limits.js';

/**
 * An answer up to this size costs nothing: a model's reply is some kilobytes, and hundreds of those are held at a
 * time.
 */
export const SMALL_RESPONSE_BYTES = 64 * 1024;

interface Limits {
  /** Bytes of large answers that the process holds. */
  process: number;
  /** Of those, bytes of one lane. */
  lane: number;
}

interface Waiter {
  bytes: number;
  grant: () => void;
}

/**
 * How many bytes of large answers a process holds at a time, all together and of each lane. Room is given in the
 * order of asking within a lane, and lanes take turns. Whoever holds a reply never waits for more room: it asks
 * once, for the most that it may need.
 */
export class ReplyMemoryPool {
  readonly #lanes = new Map<string, { held: number; waiting: Waiter[] }>();
  #held = 0;

  constructor(readonly limits: Limits = { process: 256 * 2 ** 20, lane: 64 * 2 ** 20 }) {}

  /** The room of one item, to be released when its reply is held no longer. */
  forItem(lane: string): ReplyMemory {
    return new ReplyMemory(this, lane);
  }

  /** Bytes that are given out. */
  get held(): number {
    return this.#held;
  }

  /** @returns undefined when there is room right now; else what ends when there is, and how to wait no longer */
  take(lane: string, bytes: number): { granted: Promise<void>; giveUp: () => void } | undefined {
    let of = this.#lanes.get(lane);
    if (!of) this.#lanes.set(lane, (of = { held: 0, waiting: [] }));
    const { waiting } = of;
    let isGranted = false;
    let tell = (): void => {};
    const waiter: Waiter = { bytes, grant: () => ((isGranted = true), tell()) };
    waiting.push(waiter);
    this.#next();
    if (isGranted) return undefined;
    const giveUp = (): void => {
      const at = waiting.indexOf(waiter);
      if (at < 0) return;
      waiting.splice(at, 1);
      this.#next();
    };
    return { granted: new Promise<void>((resolve) => (tell = resolve)), giveUp };
  }

  release(lane: string, bytes: number): void {
    const of = this.#lanes.get(lane);
    if (!of || bytes === 0) return;
    of.held -= bytes;
    this.#held -= bytes;
    this.#next();
  }

  #next(): void {
    for (let isMoved = true; isMoved;) {
      isMoved = false;
      for (const [lane, of] of this.#lanes) {
        const first = of.waiting[0];
        if (!first) {
          if (of.held === 0) this.#lanes.delete(lane);
          continue;
        }
        if (of.held + first.bytes > this.limits.lane) continue;
        // The process is full: nobody overtakes the lane whose turn it is, or a small answer always would.
        if (this.#held + first.bytes > this.limits.process) return;
        of.waiting.shift();
        of.held += first.bytes;
        this.#held += first.bytes;
        // Whoever was served goes to the end of the line.
        this.#lanes.delete(lane);
        this.#lanes.set(lane, of);
        first.grant();
        isMoved = true;
        break;
      }
    }
  }
}

/** The room that one item has for its large answers: at most that of the largest reply, for all its rounds together. */
export class ReplyMemory {
  /** Whether several answers are kept, as those of a chain's rounds are: room is taken for all of them at once. */
  keepsAllRounds = false;
  #reserved = 0;
  #kept = 0;
  #arriving = 0;
  #waiting: { giveUp: () => void } | undefined;
  #isReleased = false;

  constructor(
    readonly budget: ReplyMemoryPool,
    readonly lane: string,
  ) {}

  /** Bytes of the large answers that it keeps. */
  get kept(): number {
    return this.#kept;
  }

  /**
   * Makes room for an answer that is arriving and is no small one any more.
   * @param bytes its size, where that is known; it may be as large as any otherwise
   * @returns undefined when it may go on, else what ends when it may
   * @throws ResponseTooLarge when it has no room beside the rounds before it
   */
  reserve(bytes = MAX_RESPONSE_BYTES): Promise<void> | undefined {
    this.recordArrival(this.#arriving);
    const needed = this.keepsAllRounds ? MAX_RESPONSE_BYTES : Math.min(this.#kept + bytes, MAX_RESPONSE_BYTES);
    if (needed <= this.#reserved) return undefined;
    // Nothing is kept yet: only the first large answer asks for room.
    this.#shrinkTo(0);
    const taken = this.budget.take(this.lane, needed);
    if (!taken) {
      this.#reserved = needed;
      return undefined;
    }
    this.#waiting = taken;
    return taken.granted.then(() => {
      this.#waiting = undefined;
      this.#reserved = needed;
      if (this.#isReleased) this.#shrinkTo(0);
    });
  }

  /** @param bytes of the answer that are here @throws ResponseTooLarge */
  recordArrival(bytes: number): void {
    this.#arriving = bytes;
    if (this.#kept + bytes > MAX_RESPONSE_BYTES) {
      throw new ResponseTooLarge(
        `The provider's answers to one chain are larger than ${MAX_RESPONSE_BYTES / 2 ** 20} MiB together.`,
      );
    }
  }

  /** The answer is here and is kept. */
  keep(): void {
    this.#kept += this.#arriving;
    this.#arriving = 0;
    if (!this.keepsAllRounds) this.#shrinkTo(this.#kept);
  }

  /** The answer is not kept: another attempt will ask anew. */
  drop(): void {
    this.#arriving = 0;
    this.#waiting?.giveUp();
    this.#waiting = undefined;
    if (this.#kept === 0) this.#shrinkTo(0);
  }

  /** The replies of the item are held no longer. */
  release(): void {
    this.#isReleased = true;
    this.#kept = 0;
    this.drop();
  }

  #shrinkTo(bytes: number): void {
    const rest = this.#reserved - bytes;
    if (rest <= 0) return;
    this.#reserved = bytes;
    this.budget.release(this.lane, rest);
  }
}

/** What `createGuardedFetch` takes beside what every `fetch` does. */
export interface GuardedRequestInit extends RequestInit {
  replyMemory?: ReplyMemory;
}
