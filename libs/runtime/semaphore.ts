import { ProblemError } from '#lib/contracts/input/problem';

const RETRY_AFTER_MS = 5000;

/**
 * Runs up to `concurrency` tasks at a time. Others wait for their turn. If more than `maxWaiting` would wait, it throws
 * a `ProblemError` 429 with `rejectMessage`.
 */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(
    readonly concurrency: number,
    readonly maxWaiting = Infinity,
    readonly rejectMessage = '',
  ) {}

  /** Whether nothing runs, and so nothing waits. */
  get isIdle(): boolean {
    return this.#running === 0;
  }

  /** Whether anything waits for a slot. */
  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.concurrency) {
      if (this.#waiting.length >= this.maxWaiting)
        throw new ProblemError(429, this.rejectMessage, undefined, RETRY_AFTER_MS);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running++;
    try {
      return await work();
    } finally {
      // Hands the slot over, so that a new caller cannot take it in between.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
