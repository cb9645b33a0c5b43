const MAX_HOSTS = 10_000;
/** Longer than any connection is used without an answer. */
const KEPT_MS = 3_600_000;

/** Hosts at private addresses, for as long as they answer. */
export class PrivateHosts {
  /** When each was seen last. */
  readonly #seen = new Map<string, number>();

  add(host: string): void {
    if (this.#seen.size >= MAX_HOSTS) this.#forget();
    if (this.#seen.size < MAX_HOSTS || this.#seen.has(host)) this.#seen.set(host, Date.now());
  }

  /** While there are too many to know them apart, every host counts. */
  has(host: string): boolean {
    const isKnown = this.#seen.has(host);
    if (isKnown) this.add(host);
    return isKnown || this.#seen.size >= MAX_HOSTS;
  }

  #forget(): void {
    const before = Date.now() - KEPT_MS;
    for (const [host, at] of this.#seen) if (at < before) this.#seen.delete(host);
  }
}
