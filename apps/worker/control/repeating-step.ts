export interface StepTiming {
  /** The interval of a step when nothing wakes it. */
  idleMs: () => number;
  /**
   * The minimum time between two turns: everything that arrives in between is handled in one turn. Read after each
   * turn.
   */
  gapMs: () => number;
}

/**
 * Repeats one step until it is stopped: every `idleMs`, or sooner when woken. An error of a turn is reported and the
 * next turn runs as usual, because every step can be repeated after a crash at any line.
 */
export class RepeatingStep {
  readonly #stop = new AbortController();
  #isWoken = false;
  #endPauseEarly = (): void => {};
  #loop: Promise<void> | undefined;

  constructor(
    /** One turn. The signal aborts when the step is stopped; a turn is woken or idle. */
    readonly turn: (signal: AbortSignal, isWoken: boolean) => Promise<void>,
    readonly timing: StepTiming,
    readonly onFailure: (error: Error) => void,
  ) {}

  start(): void {
    this.#loop ??= this.#repeat();
  }

  /** Runs the next turn as soon as the gap is over instead of after the idle interval. */
  wake(): void {
    this.#isWoken = true;
    this.#endPauseEarly();
  }

  /** Stops repeating, and waits for the current turn. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#endPauseEarly();
    await this.#loop;
  }

  async #repeat(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const isWoken = this.#isWoken;
      this.#isWoken = false;
      await this.turn(signal, isWoken).catch(this.onFailure);
      const gapMs = this.timing.gapMs();
      await this.#pause(gapMs, () => signal.aborted);
      await this.#pause(this.timing.idleMs() - gapMs, () => this.#isWoken || signal.aborted);
    }
  }

  #pause(ms: number, isOver: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endPauseEarly = () => {
        if (!isOver()) return;
        clearTimeout(timer);
        resolve();
      };
      this.#endPauseEarly();
    });
  }
}
