/**
 * Remembers which events were sent, for as long as they can be found again. Its size is bounded by the number of events
 * sent in that time.
 */
export class SentEvents {
  readonly #atMs = new Map<string, number>();

  constructor(
    readonly rememberMs: number,
    readonly now: () => number = () => performance.now(),
  ) {}

  get size(): number {
    return this.#atMs.size;
  }

  /** @returns false if the event was already sent */
  add(jobId: string, seq: number): boolean {
    const nowMs = this.now();
    for (const [event, atMs] of this.#atMs) {
      if (atMs > nowMs - this.rememberMs) break; // Entries are in order: all later ones are newer.
      this.#atMs.delete(event);
    }
    const event = `${jobId}:${seq}`;
    if (this.#atMs.has(event)) return false;
    this.#atMs.set(event, nowMs);
    return true;
  }
}
