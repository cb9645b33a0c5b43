/**
 * An answer that needs no token: computed at most once per interval however many clients ask, kept as bytes, and sent
 * unchanged.
 */
export class KeptAnswer {
  #kept: Buffer | undefined;
  #madeAt = -Infinity;
  #making: Promise<Buffer> | undefined;

  /** @param maxAgeMs how long the answer is kept, from when it is computed */
  constructor(
    readonly make: () => string | Promise<string>,
    readonly maxAgeMs = Infinity,
  ) {}

  /** @throws what computing it throws; the next request computes it again */
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
