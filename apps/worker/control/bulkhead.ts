/**
 * Keeps one lane or team from holding up the others (the bulkhead pattern): each key works on one item at a time, with
 * a limited number of keys in parallel. An error of one item is reported and does not stop the others. A slow key
 * continues in the background, and skips turns until it is done.
 */
export class Bulkhead {
  readonly #busy = new Set<string>();

  constructor(
    readonly options: {
      concurrency: number;
      /** How long a turn waits for the work it started. */
      turnMs: number;
      onFailure: (error: Error, item: unknown) => void;
    },
  ) {}

  /**
   * Works on the items of each key in order.
   * @returns how many items were not begun in this turn, besides those that slow keys still work on
   */
  async each<Item>(
    items: readonly Item[],
    keyOf: (item: Item) => string,
    work: (item: Item) => Promise<void>,
  ): Promise<number> {
    const busy = new Set(items.map(keyOf).filter((key) => this.#busy.has(key)));
    let begun = 0;
    const itemsByKey = new Map<string, Item[]>();
    for (const item of items) {
      const key = keyOf(item);
      if (!this.#busy.has(key)) itemsByKey.set(key, [...(itemsByKey.get(key) ?? []), item]);
    }
    const waiting = [...itemsByKey];
    const workOff = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift())
        await this.#work(...next, (item) => (begun++, work(item)));
    };
    const turn = Promise.all(Array.from({ length: Math.min(this.options.concurrency, waiting.length) }, workOff));
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([turn, new Promise((resolve) => (timer = setTimeout(resolve, this.options.turnMs)))]);
    clearTimeout(timer);
    waiting.length = 0; // The next turn picks up the rest.
    return items.length - begun - busy.size;
  }

  async #work<Item>(key: string, items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
    if (this.#busy.has(key)) return; // Still running from an earlier turn.
    this.#busy.add(key);
    try {
      for (const item of items) await work(item).catch((error: Error) => this.options.onFailure(error, item));
    } finally {
      this.#busy.delete(key);
    }
  }
}
