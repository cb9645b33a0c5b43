/**
 * An answer that anyone may ask for without a token: made once in a while whoever asks, kept as bytes, and sent as
 * they are.
 */
export class KeptAnswer {
  #kept: Buffer | undefined;
  #madeAt = -Infinity;
  #making: Promise<Buffer> | undefined;

  /** @param maxAgeMs how long the answer is kept, from when it is made */
  constructor(
    readonly make: () => string | Promise<string>,
    readonly maxAgeMs = Infinity,
  ) {}

  /** @throws what making it throws; the next one who asks has it made again */
  async bytes(): Promise<Buffer> {
    if (this.#kept && performance.now() - this.#madeAt <= this.maxAgeMs) return this.#kept;
    this.#making ??= this.#make().finally(() => (this.#making = undefined));
    return this.#making;
  }

  async #make(): Promise<Buffer> {
    this.#kept = Buffer.from(await this.make());
    this.#madeAt = performance.now();
    return this.#kept;
  }
}
