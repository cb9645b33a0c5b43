import { LRUCache } from 'lru-cache';
import { isTransient } from '#lib/db/connection/pool';

const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [1000, 300_000];

interface Setback {
  waits: number;
  /** In a row, without those that go away by themselves. */
  failures: number;
  retryAtMs: number;
}

/**
 * Things that failed, and are left alone for a while: a second after the first failure, then twice as long each time,
 * at most five minutes. Of this process: another one may try sooner.
 */
export class Setbacks {
  readonly #setbacks = new LRUCache<string, Setback>({ max: 10_000 });

  /**
   * @param error one that goes away by itself, such as a lost connection, is no failure of the thing
   * @returns how often it has failed in a row, with this time
   */
  add(id: string, error?: unknown): number {
    const { waits, failures } = this.#setbacks.get(id) ?? { waits: 0, failures: 0 };
    const failed = failures + (error !== undefined && isTransient(error) ? 0 : 1);
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** waits);
    this.#setbacks.set(id, { waits: waits + 1, failures: failed, retryAtMs: Date.now() + waitMs });
    return failed;
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
