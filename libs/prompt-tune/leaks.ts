import { HashSample } from './hash-sample.js';
import { plain, visitRuns } from './words.js';

/** What of a case must not stand in a prompt. */
export interface LeakSource {
  /** The texts of all its user messages. */
  prompt: string;
  /** Its expected values that are strings. */
  expected: readonly string[];
}

/**
 * Up to four million runs of words, and as many values, are known exactly; 64 MiB for each. Of larger suites, an even
 * share of each case's runs is known, so that long copies are still found. Hashes have 53 bits: one run in two thousand
 * million is taken for another's, and then a text is rejected for nothing.
 */
const MOST_HASHES = 2 ** 22;

/** Values with fewer characters are no secret of a case. */
const MIN_VALUE_CHARACTERS = 4;

/** What was found, in plain text: see `plain`. */
export interface Leak {
  what: 'run' | 'value';
  text: string;
}

/** The words of all cases of a suite that a prompt must not repeat. Built once for a tune. */
export class LeakIndex {
  readonly #runs = new HashSample(MOST_HASHES);
  readonly #values = new HashSample(MOST_HASHES);
  /** Values of two cases or more. They are words of the subject. */
  readonly #shared = new HashSample(MOST_HASHES);
  readonly #known = new HashSample(MOST_HASHES);

  /** How much memory it takes, about. */
  get bytes(): number {
    return [this.#runs, this.#values, this.#shared, this.#known].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** All cases come before the first known text. */
  addCase({ prompt, expected }: LeakSource): void {
    visitRuns(plain(prompt), (hash, _from, _to, isRun) => {
      if (isRun) this.#runs.add(hash);
    });
    for (const hash of new Set(expected.flatMap(hashOfValue))) {
      if (this.#values.has(hash)) this.#shared.add(hash);
      this.#values.add(hash);
    }
  }

  /** A text that may be repeated: of the base, or names, descriptions and enum values of tools. */
  addKnown(text: string): void {
    visitRuns(plain(text), (hash, _from, _to, isRun) => {
      if ((isRun && this.#runs.has(hash)) || this.#values.has(hash)) this.#known.add(hash);
    });
  }

  /** The first words of the text that only a case has. Takes time in proportion to its length. */
  find(text: string): Leak | undefined {
    const written = plain(text);
    let found: Leak | undefined;
    visitRuns(written, (hash, from, to, isRun) => {
      if (found || this.#known.has(hash)) return;
      const isValue = this.#values.has(hash) && !this.#shared.has(hash);
      if (isValue || (isRun && this.#runs.has(hash)))
        found = { what: isValue ? 'value' : 'run', text: written.slice(from, to) };
    });
    return found;
  }
}

/**
 * Takes about a second for each 10 MB of prompts.
 * @param cases all cases of the suite, held-out ones among them
 * @param known texts that may be repeated: base components, names, descriptions and enum values of tools
 */
export function indexLeaks(cases: Iterable<LeakSource>, known: readonly string[]): LeakIndex {
  const index = new LeakIndex();
  for (const one of cases) index.addCase(one);
  for (const text of known) index.addKnown(text);
  return index;
}

/** A value that is longer than a run of words counts by the run that it begins with. */
function hashOfValue(value: string): number[] {
  let whole = 0;
  let begins = -1;
  let ends = 0;
  visitRuns(plain(value), (hash, from, to) => {
    if (begins < 0) begins = from;
    if (from === begins) whole = hash;
    ends = to;
  });
  return ends - begins >= MIN_VALUE_CHARACTERS ? [whole] : [];
}
