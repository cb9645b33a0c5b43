/** Tokens of a prompt that were read from a cache or written to it. The rest of the prompt was neither. */
export interface CacheUse {
  read: number;
  /** Written for five minutes. */
  written5m: number;
  /** Written for an hour. */
  written1h: number;
}

export const UNCACHED: CacheUse = { read: 0, written5m: 0, written1h: 0 };

/** What a prompt cache needs to know of a request. It is the same whenever the request is made. */
export interface CacheablePrompt {
  /**
   * Reads and writes the cache, as the host would.
   * @param tokens of the whole prompt; at least one of them stays uncached
   */
  use(cache: PromptCache, nowMs: number, tokens: number): CacheUse;
}

/** A shorter beginning of a prompt is not cached. */
export const MIN_CACHED_TOKENS = 1024;

const MAX_ENTRIES = 50_000;

/** The beginnings of prompts that a model has seen, by a key that stands for their text, least recently used first. */
export class PromptCache {
  readonly #entries = new Map<string, { ttlMs: number; untilMs: number }>();

  constructor(readonly maxEntries = MAX_ENTRIES) {}

  get size(): number {
    return this.#entries.size;
  }

  /** For how long a beginning is kept after its last use; undefined if it is not cached, or no longer. */
  ttlOf(key: string, nowMs: number): number | undefined {
    const entry = this.#entries.get(key);
    if (!entry || entry.untilMs > nowMs) return entry?.ttlMs;
    this.#entries.delete(key);
    return undefined;
  }

  /** Keeps a beginning from now on. */
  keep(key: string, nowMs: number, ttlMs: number): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.maxEntries) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.set(key, { ttlMs, untilMs: nowMs + ttlMs });
  }
}
