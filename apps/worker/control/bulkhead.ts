/**
 * Keeps one lane or team from holding up the others (the bulkhead pattern): each key works on one thing at a time, and
 * so many keys side by side. What one item throws is reported and stops nothing else. A key that takes long goes on by
 * itself, and sits out the turns until it is done.
 */
export class Bulkhead {
  readonly #busy = new Set<string>();

  constructor(
    readonly options: {
      concurrency: number;
      /** How long a turn waits for what it started. */
      turnMs: number;
      onFailure: (error: Error, item: unknown) => void;
    },
  ) {}

  /** Works on the items of each key in their order. */
  async each<Item>(
    items: readonly Item[],
    keyOf: (item: Item) => string,
    work: (item: Item) => Promise<void>,
  ): Promise<void> {
    const itemsByKey = new Map<string, Item[]>();
    for (const item of items) {
      const key = keyOf(item);
      if (!this.#busy.has(key)) itemsByKey.set(key, [...(itemsByKey.get(key) ?? []), item]);
    }
    const waiting = [...itemsByKey];
    const workOff = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await this.#work(...next, work);
    };
    const turn = Promise.all(Array.from({ length: Math.min(this.options.concurrency, waiting.length) }, workOff));
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([turn, new Promise((resolve) => (timer = setTimeout(resolve, this.options.turnMs)))]);
    clearTimeout(timer);
    waiting.length = 0; // The next turn looks for what is left.
  }

  async #work<Item>(key: string, items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
    if (this.#busy.has(key)) return; // An earlier turn stopped waiting for it.
    this.#busy.add(key);
    try {
      for (const item of items) await work(item).catch((error: Error) => this.options.onFailure(error, item));
    } finally {
      this.#busy.delete(key);
    }
  }
}
