import { ProblemError } from '#lib/contracts/problem';

/** Lets so many through at once; others wait for their turn, and more than a few of them are told to come back. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(
    readonly concurrency: number,
    readonly maxWaiting = Infinity,
    readonly rejectMessage = '',
  ) {}

  /** Nobody is inside, and so nobody waits. */
  get isIdle(): boolean {
    return this.#inside === 0;
  }

  async run<Made>(work: () => Promise<Made>): Promise<Made> {
    if (this.#inside >= this.concurrency) {
      if (this.#waiting.length >= this.maxWaiting) throw new ProblemError(429, this.rejectMessage, undefined, 5000);
      await new Promise<void>((go) => this.#waiting.push(go));
    } else this.#inside++;
    try {
      return await work();
    } finally {
      // The place is handed over, so that nobody slips in between.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#inside--;
    }
  }
}
