import { LRUCache } from 'lru-cache';

const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [1000, 300_000];

/**
 * Things that failed, and are left alone for a while: a second after the first failure, then twice as long each time,
 * at most five minutes. Of this process: another one may try sooner.
 */
export class Setbacks {
  readonly #setbacks = new LRUCache<string, { failures: number; retryAtMs: number }>({ max: 10_000 });

  add(id: string): void {
    const failures = this.#setbacks.get(id)?.failures ?? 0;
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
    this.#setbacks.set(id, { failures: failures + 1, retryAtMs: Date.now() + waitMs });
  }

  clear(id: string): void {
    this.#setbacks.delete(id);
  }

  /** Those to leave alone now. */
  waiting(): string[] {
    const now = Date.now();
    return [...this.#setbacks.entries()].flatMap(([id, { retryAtMs }]) => (retryAtMs > now ? [id] : []));
  }
}
