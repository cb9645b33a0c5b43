/**
 * Lets an item that has killed processes before run alone: it waits until nothing else runs, and nothing else starts until it
 * ended. If it kills this process too, it takes no neighbour with it.
 */
export class Solitude {
  #running = 0;
  #alone: Promise<void> | undefined;
  #quiet: (() => void)[] = [];

  /** Answers what to call when the item ended. */
  async enter(alone: boolean): Promise<() => void> {
    while (this.#alone) await this.#alone;
    if (!alone) {
      this.#running++;
      return () => {
        if (--this.#running === 0) for (const quiet of this.#quiet.splice(0)) quiet();
      };
    }
    let leave!: () => void;
    this.#alone = new Promise((resolve) => (leave = resolve));
    if (this.#running > 0) await new Promise<void>((resolve) => this.#quiet.push(resolve));
    return () => {
      this.#alone = undefined;
      leave();
    };
  }
}
