const MOST_WARNINGS = 200;

/** What an import did differently than its file says, each with its line. A file full of the same is told in brief. */
export class Warnings {
  readonly #texts: string[] = [];
  readonly #conclusions: string[] = [];
  #more = 0;

  constructor(readonly most = MOST_WARNINGS) {}

  add(text: string): void {
    if (this.#texts.length < this.most) this.#texts.push(text);
    else this.#more++;
  }

  addAtLine(line: number, text: string): void {
    this.add(`Line ${line}: ${text}`);
  }

  /** What holds for the file as a whole, and is told however many warnings there are. */
  addForFile(text: string): void {
    this.#conclusions.push(text);
  }

  list(): string[] {
    return [...this.#texts, ...(this.#more ? [`And ${this.#more} more.`] : []), ...this.#conclusions];
  }
}
