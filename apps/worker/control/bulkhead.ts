/**
 * Lets those who share a loop (lanes, teams) work side by side: each one thing at a time, so many of them at once.
 * What one throws is told and hurts nobody else; one that takes long goes on by itself, and is left out of turns
 * until it is done.
 */
export class Bulkhead {
  readonly #busy = new Set<string>();

  constructor(
    readonly of: {
      atOnce: number;
      /** A turn waits so long for what it started. */
      patienceMs: number;
      onFailure: (error: Error, item: unknown) => void;
    },
  ) {}

  /** Works on the items of each share in their order. */
  async each<Item>(
    items: readonly Item[],
    shareOf: (item: Item) => string,
    work: (item: Item) => Promise<void>,
  ): Promise<void> {
    const shares = new Map<string, Item[]>();
    for (const item of items) {
      const share = shareOf(item);
      if (!this.#busy.has(share)) shares.set(share, [...(shares.get(share) ?? []), item]);
    }
    const waiting = [...shares];
    const hand = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await this.#work(...next, work);
    };
    const turn = Promise.all(Array.from({ length: Math.min(this.of.atOnce, waiting.length) }, hand));
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([turn, new Promise((resolve) => (timer = setTimeout(resolve, this.of.patienceMs)))]);
    clearTimeout(timer);
    waiting.length = 0; // What is left over is looked for anew.
  }

  async #work<Item>(share: string, items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
    if (this.#busy.has(share)) return; // Of a turn before, whose patience was over.
    this.#busy.add(share);
    try {
      for (const item of items) await work(item).catch((error: Error) => this.of.onFailure(error, item));
    } finally {
      this.#busy.delete(share);
    }
  }
}
