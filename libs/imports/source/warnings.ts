const MAX_WARNINGS = 200;

/** Collects the deviations of an import from its file, with line numbers. Beyond a limit, warnings are only counted. */
export class Warnings {
  readonly #texts: string[] = [];
  readonly #conclusions: string[] = [];
  #more = 0;

  constructor(readonly max = MAX_WARNINGS) {}

  add(text: string): void {
    if (this.#texts.length < this.max) this.#texts.push(text);
    else this.#more++;
  }

  addAtLine(line: number, text: string): void {
    this.add(`Line ${line}: ${text}`);
  }

  /** Adds a warning about the whole file. The limit does not apply to it. */
  addForFile(text: string): void {
    this.#conclusions.push(text);
  }

  list(): string[] {
    return [...this.#texts, ...(this.#more ? [`And ${this.#more} more.`] : []), ...this.#conclusions];
  }
}
