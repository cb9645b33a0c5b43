interface BatchOptions {
  /** How long the first item of a batch waits for others. */
  waitMs: number;
  maxSize: number;
  /** Maximum number of concurrent batches. */
  concurrency: number;
}

/**
 * Collects what arrives within a few milliseconds and handles it as one batch, so that many small statements become
 * one. Items that arrive while all batches are busy make the next one larger.
 */
export class MicroBatcher<Item, Result> {
  #queue: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #running = 0;

  constructor(
    /** Returns results in the order of its items. */
    readonly handle: (items: Item[]) => Promise<Result[]>,
    readonly options: BatchOptions,
  ) {}

  get isIdle(): boolean {
    return this.#running === 0 && this.#queue.length === 0;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#running >= this.options.concurrency || this.#queue.length === 0) return;
    if (this.#queue.length >= this.options.maxSize) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      void this.#flush();
    } else {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        void this.#flush();
      }, this.options.waitMs);
    }
  }

  async #flush(): Promise<void> {
    const batch = this.#queue.splice(0, this.options.maxSize);
    if (batch.length === 0) return;
    this.#running++;
    try {
      const results = await this.handle(batch.map((entry) => entry.item));
      batch.forEach((entry, index) => entry.resolve(results[index]!));
    } catch (error) {
      for (const entry of batch) entry.reject(error);
    } finally {
      this.#running--;
      this.#schedule();
    }
  }
}

/**
 * Micro-batches by key (a team, a run, a version of a suite): a batch holds items of one key, so that an error or a
 * delay of one key does not affect the others.
 */
export class KeyedMicroBatcher<Item, Result> {
  readonly #batchers = new Map<string, MicroBatcher<Item, Result>>();

  constructor(
    readonly handle: (items: Item[], key: string) => Promise<Result[]>,
    readonly options: BatchOptions,
  ) {}

  async add(key: string, item: Item): Promise<Result> {
    let batcher = this.#batchers.get(key);
    if (!batcher) {
      batcher = new MicroBatcher((items) => this.handle(items, key), this.options);
      this.#batchers.set(key, batcher);
    }
    try {
      return await batcher.add(item);
    } finally {
      // But not one that another caller has created since.
      if (batcher.isIdle && this.#batchers.get(key) === batcher) this.#batchers.delete(key);
    }
  }
}
