/** Which events were told, for as long as they could be found again; it does not grow beyond what is told meanwhile. */
export class SentEvents {
  readonly #atMs = new Map<string, number>();

  constructor(
    readonly rememberMs: number,
    readonly now: () => number = () => performance.now(),
  ) {}

  get size(): number {
    return this.#atMs.size;
  }

  /** Whether this is to be told; from now on it was. */
  firstTime(jobId: string, seq: number): boolean {
    const nowMs = this.now();
    for (const [event, atMs] of this.#atMs) {
      if (atMs > nowMs - this.rememberMs) break; // as all that follow
      this.#atMs.delete(event);
    }
    const event = `${jobId}:${seq}`;
    if (this.#atMs.has(event)) return false;
    this.#atMs.set(event, nowMs);
    return true;
  }
}
