/** Prompt tokens that were read from a cache or written to it. The other tokens were neither. */
export interface CacheUse {
  read: number;
  /** Tokens cached for five minutes. */
  written5m: number;
  /** Tokens cached for an hour. */
  written1h: number;
}

export const UNCACHED: CacheUse = { read: 0, written5m: 0, written1h: 0 };

/** The cache-relevant part of a request. It is the same whenever the request is made. */
export interface CacheablePrompt {
  /**
   * Reads and writes the cache, as the host would.
   * @param tokens of the whole prompt; at least one of them stays uncached
   */
  use(cache: PromptCache, nowMs: number, tokens: number): CacheUse;
}

/** Shorter prefixes are not cached. */
export const MIN_CACHED_TOKENS = 1024;

const MAX_ENTRIES = 50_000;

/** The prompt prefixes that a model has seen, by a hash of their text, least recently used first. */
export class PromptCache {
  readonly #entries = new Map<string, { ttlMs: number; untilMs: number }>();

  constructor(readonly maxEntries = MAX_ENTRIES) {}

  get size(): number {
    return this.#entries.size;
  }

  /** How long a prefix is kept after its last use; undefined if it is not cached, or has expired. */
  ttlOf(key: string, nowMs: number): number | undefined {
    const entry = this.#entries.get(key);
    if (!entry || entry.untilMs > nowMs) return entry?.ttlMs;
    this.#entries.delete(key);
    return undefined;
  }

  /** Caches a prefix as of now. */
  keep(key: string, nowMs: number, ttlMs: number): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.maxEntries) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.set(key, { ttlMs, untilMs: nowMs + ttlMs });
  }
}
