import { FileFault } from './small-file.js';

/**
 * A text outside of Toolmark that may change, and is looked at again and again. Another text counts when two looks in a
 * row saw it, so that one that is being written is never taken for a whole one.
 */
export class WatchedText {
  /** What it last was. */
  text: string | undefined;
  /** Why the last look saw nothing. */
  fault: string | undefined;
  #seen: string | undefined;
  #faultySince = 0;
  #isReading = false;

  /**
   * @param read throws FileFault
   * @param keepMs how long the last text outlives what it was read from
   * @param answerMs how long a look waits for it
   */
  constructor(
    readonly read: () => Promise<string>,
    readonly keepMs: number,
    readonly answerMs: number,
  ) {}

  /** @returns what this look changed */
  async look(): Promise<'text' | 'fault' | undefined> {
    const before = { text: this.text, fault: this.fault };
    try {
      const seen = await this.#readInTime();
      if (this.text === undefined || this.#seen === seen) this.text = seen;
      this.#seen = seen;
      this.fault = undefined;
    } catch (error) {
      if (!(error instanceof FileFault)) throw error;
      this.#seen = undefined;
      if (this.fault === undefined) this.#faultySince = performance.now();
      this.fault = error.message;
      if (performance.now() - this.#faultySince >= this.keepMs) this.text = undefined;
    }
    if (this.fault !== before.fault) return 'fault';
    return this.text === before.text ? undefined : 'text';
  }

  /** One that hangs is not read a second time meanwhile. @throws FileFault */
  async #readInTime(): Promise<string> {
    if (this.#isReading) throw noAnswer();
    this.#isReading = true;
    const reading = this.read().finally(() => (this.#isReading = false));
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(noAnswer()), this.answerMs);
    return Promise.race([reading, late]).finally(() => clearTimeout(timer));
  }
}

const noAnswer = (): FileFault => new FileFault('does not answer');
