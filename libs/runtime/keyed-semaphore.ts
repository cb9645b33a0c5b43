import { leaveTurn } from './held-turn.js';
import { Semaphore } from './semaphore.js';

/**
 * A semaphore for each key, such as each team, so that one of them waits only for itself. Whoever comes to it gives a
 * turn back that it has in a general line.
 */
export class KeyedSemaphore {
  readonly #semaphores = new Map<string, Semaphore>();

  /** @param rejectMessage the detail of the 429 for whoever comes when `maxWaiting` wait already */
  constructor(
    readonly concurrency: number,
    readonly maxWaiting = Infinity,
    readonly rejectMessage = '',
  ) {}

  /** Somebody waits for a turn of this key. */
  isAwaited(key: string): boolean {
    return this.#semaphores.get(key)?.isAwaited ?? false;
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
