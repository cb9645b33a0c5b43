/** Which events were sent, for as long as they could be found again. It does not grow beyond what is sent meanwhile. */
export class SentEvents {
  readonly #atMs = new Map<string, number>();

  constructor(
    readonly rememberMs: number,
    readonly now: () => number = () => performance.now(),
  ) {}

  get size(): number {
    return this.#atMs.size;
  }

  /** @returns whether the event was not sent before */
  add(jobId: string, seq: number): boolean {
    const nowMs = this.now();
    for (const [event, atMs] of this.#atMs) {
      if (atMs > nowMs - this.rememberMs) break; // All that follow are younger.
      this.#atMs.delete(event);
    }
    const event = `${jobId}:${seq}`;
    if (this.#atMs.has(event)) return false;
    this.#atMs.set(event, nowMs);
    return true;
  }
}
