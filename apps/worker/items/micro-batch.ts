/**
 * Collects what arrives within a few milliseconds and hands it on as one batch, so that many small statements
 * become one. At most `concurrency` batches are under way; what arrives meanwhile makes the next batch larger.
 */
export class MicroBatcher<Item, Answer> {
  #queue: { item: Item; resolve: (answer: Answer) => void; reject: (error: unknown) => void }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #running = 0;

  constructor(
    /** Answers in the order of its items. */
    readonly handle: (items: Item[]) => Promise<Answer[]>,
    readonly options: { waitMs: number; largest: number; concurrency: number },
  ) {}

  get isIdle(): boolean {
    return this.#running === 0 && this.#queue.length === 0;
  }

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#running >= this.options.concurrency || this.#queue.length === 0) return;
    if (this.#queue.length >= this.options.largest) {
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
    const batch = this.#queue.splice(0, this.options.largest);
    if (batch.length === 0) return;
    this.#running++;
    try {
      const answers = await this.handle(batch.map((entry) => entry.item));
      batch.forEach((entry, index) => entry.resolve(answers[index]!));
    } catch (error) {
      for (const entry of batch) entry.reject(error);
    } finally {
      this.#running--;
      this.#schedule();
    }
  }
}

/**
 * A group commit for each share (a team, a version of a suite): a batch holds what one of them wants, so that what
 * it throws or waits for holds up nobody else.
 */
export class KeyedMicroBatcher<Item, Answer> {
  readonly #shares = new Map<string, MicroBatcher<Item, Answer>>();

  constructor(
    readonly handle: (items: Item[], share: string) => Promise<Answer[]>,
    readonly options: { waitMs: number; largest: number; concurrency: number },
  ) {}

  async add(share: string, item: Item): Promise<Answer> {
    let commit = this.#shares.get(share);
    if (!commit)
      this.#shares.set(share, (commit = new MicroBatcher((items) => this.handle(items, share), this.options)));
    try {
      return await commit.add(item);
    } finally {
      // Not the one that another may have made since.
      if (commit.isIdle && this.#shares.get(share) === commit) this.#shares.delete(share);
    }
  }
}
