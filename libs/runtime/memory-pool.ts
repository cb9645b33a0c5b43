interface Limits {
  /** Bytes held by the process. */
  process: number;
  /** Bytes held by one lane or one team. */
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
 * Limits the memory used by large texts in a process, in total and per lane. Each lane grants requests in order, and
 * lanes take turns.
 */
export class MemoryPool {
  readonly #lanes = new Map<string, LaneQueue>();
  #heldBytes = 0;

  constructor(readonly limits: Limits) {}

  /** Bytes currently granted. */
  get held(): number {
    return this.#heldBytes;
  }

  /** Bytes currently granted to a lane. */
  heldBy(laneId: string): number {
    return this.#lanes.get(laneId)?.heldBytes ?? 0;
  }

  /** Whether a lane waits for memory that others hold. */
  get isFull(): boolean {
    return [...this.#lanes.values()].some(
      ({ heldBytes, waiters: [first] }) =>
        first && heldBytes + first.bytes <= this.limits.lane && this.#heldBytes + first.bytes > this.limits.process,
    );
  }

  /**
   * @returns undefined when the bytes are granted at once; otherwise a promise of the grant, and how to stop waiting
   */
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
      // When the process is full, no lane overtakes the one whose turn it is: small responses always would.
      if (this.#heldBytes + first.bytes > this.limits.process) return false;
      lane.waiters.shift();
      lane.heldBytes += first.bytes;
      this.#heldBytes += first.bytes;
      // The lane that was served moves to the end of the queue.
      this.#lanes.delete(laneId);
      this.#lanes.set(laneId, lane);
      first.grant();
      return true;
    }
    return false;
  }
}
