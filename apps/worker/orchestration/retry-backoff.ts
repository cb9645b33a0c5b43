import { LRUCache } from 'lru-cache';
import { isTransient } from '#lib/db/connection/pool';

const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [1000, 300_000];

interface BackoffState {
  waits: number;
  /** Consecutive failures, without those that resolve by themselves. */
  failures: number;
  retryAtMs: number;
}

/**
 * Ids that failed, with exponential backoff: a second after the first failure, then twice as long each time, up to five
 * minutes. Per process: another one may retry sooner.
 */
export class RetryBackoff {
  readonly #backoff = new LRUCache<string, BackoffState>({ max: 10_000 });

  /**
   * @param error an error that resolves by itself, such as a lost connection, does not count as a failure
   * @returns the number of consecutive failures, including this one
   */
  add(id: string, error?: unknown): number {
    const { waits, failures } = this.#backoff.get(id) ?? { waits: 0, failures: 0 };
    const failed = failures + (error !== undefined && isTransient(error) ? 0 : 1);
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** waits);
    this.#backoff.set(id, { waits: waits + 1, failures: failed, retryAtMs: Date.now() + waitMs });
    return failed;
  }

  clear(id: string): void {
    this.#backoff.delete(id);
  }

  /** The ids that are still backing off. */
  waiting(): string[] {
    const now = Date.now();
    return [...this.#backoff.entries()].flatMap(([id, { retryAtMs }]) => (retryAtMs > now ? [id] : []));
  }
}
