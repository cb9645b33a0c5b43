import { leaveTurn } from './held-turn.js';
import { Semaphore } from './semaphore.js';

/**
 * A semaphore per key, such as a team, so that each key waits only for itself. Entering it releases a slot held in a
 * shared queue (`leaveTurn`).
 */
export class KeyedSemaphore {
  readonly #semaphores = new Map<string, Semaphore>();

  /** @param rejectMessage the detail of the 429 when `maxWaiting` are already waiting */
  constructor(
    readonly concurrency: number,
    readonly maxWaiting = Infinity,
    readonly rejectMessage = '',
  ) {}

  /** Whether anything waits for a slot of this key. */
  hasWaiting(key: string): boolean {
    return this.#semaphores.get(key)?.hasWaiting ?? false;
  }

  async run<Made>(key: string, work: () => Promise<Made>): Promise<Made> {
    leaveTurn();
    let semaphore = this.#semaphores.get(key);
    if (!semaphore) {
      semaphore = new Semaphore(this.concurrency, this.maxWaiting, this.rejectMessage);
      this.#semaphores.set(key, semaphore);
    }
    try {
      return await semaphore.run(work);
    } finally {
      if (semaphore.isIdle && this.#semaphores.get(key) === semaphore) this.#semaphores.delete(key);
    }
  }
}
