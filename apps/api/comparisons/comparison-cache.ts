import { LRUCache } from 'lru-cache';

const MAX_BYTES = 64 * 2 ** 20;

interface Making {
  made: Promise<string>;
  abort: AbortController;
  waiting: number;
}

/** What making an answer returns: its JSON, and whether it stays the same for as long as its key does. */
export interface MadeAnswer {
  json: string;
  keep: boolean;
}

/**
 * Answers as JSON, by a key that names all they depend on. Requests for one answer at the same time wait for the same
 * work, which ends when the last of them has left. An answer that failed is not kept.
 */
export class ComparisonCache {
  readonly #kept = new LRUCache<string, string>({
    maxSize: MAX_BYTES,
    sizeCalculation: (json, key) => Buffer.byteLength(json) + Buffer.byteLength(key),
  });
  readonly #making = new Map<string, Making>();

  /** @throws the reason of `signal` once it aborts, or what `make` throws */
  async getOrMake(
    key: string,
    signal: AbortSignal,
    make: (signal: AbortSignal) => Promise<MadeAnswer>,
  ): Promise<string> {
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    signal.throwIfAborted();
    const making = this.#making.get(key) ?? this.#begin(key, make);
    making.waiting++;
    const left = Promise.withResolvers<never>();
    const leave = (): void => left.reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([making.made, left.promise]);
    } finally {
      signal.removeEventListener('abort', leave);
      if (--making.waiting === 0) {
        // Whoever asks from now on begins anew: this work is being stopped.
        if (this.#making.get(key) === making) this.#making.delete(key);
        making.abort.abort();
      }
    }
  }

  #begin(key: string, make: (signal: AbortSignal) => Promise<MadeAnswer>): Making {
    const abort = new AbortController();
    const made = make(abort.signal).then(({ json, keep }) => {
      if (keep) this.#kept.set(key, json);
      return json;
    });
    // Everybody who waits may have left before it fails.
    made.catch(() => {});
    const making = { made, abort, waiting: 0 };
    this.#making.set(key, making);
    return making;
  }
}
