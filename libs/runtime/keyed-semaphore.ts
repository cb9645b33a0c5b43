import { Semaphore } from './semaphore.js';

/** A semaphore for each key, such as each team, so that one of them waits only for itself. */
export class KeyedSemaphore {
  readonly #semaphores = new Map<string, Semaphore>();

  /** @param refusal what whoever comes when `maxWaiting` wait already is told, with 429 */
  constructor(
    readonly atOnce: number,
    readonly maxWaiting = Infinity,
    readonly refusal = '',
  ) {}

  async run<Made>(key: string, work: () => Promise<Made>): Promise<Made> {
    let semaphore = this.#semaphores.get(key);
    if (!semaphore) {
      semaphore = new Semaphore(this.atOnce, this.maxWaiting, this.refusal);
      this.#semaphores.set(key, semaphore);
    }
    try {
      return await semaphore.run(work);
    } finally {
      if (semaphore.isIdle && this.#semaphores.get(key) === semaphore) this.#semaphores.delete(key);
    }
  }
}
