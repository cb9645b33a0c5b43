import { HashSample } from './hash-sample.js';
import { plain, visitRuns } from './words.js';

/** The parts of a case that must not appear in a prompt. */
export interface LeakSource {
  /** The texts of all its user messages. */
  prompt: string;
  /** Its expected string values. */
  expected: readonly string[];
}

/**
 * Up to four million runs of words, and as many values, are stored exactly, in 64 MiB each. For larger suites, an equal
 * share of each case's runs is stored, so that long copies are still found. Hashes have 53 bits: about one run in two
 * billion collides, and its text is rejected by mistake.
 */
const MAX_HASHES = 2 ** 22;

/** Shorter values do not count as secrets of a case. */
const MIN_VALUE_CHARACTERS = 4;

/** The leaked words, as plain text: see `plain`. */
export interface Leak {
  what: 'run' | 'value';
  text: string;
}

/** An index of the words of all cases of a suite that a prompt must not repeat. Built once per tune. */
export class LeakIndex {
  readonly #runs = new HashSample(MAX_HASHES);
  readonly #values = new HashSample(MAX_HASHES);
  /** Values of two or more cases: they are vocabulary of the domain. */
  readonly #shared = new HashSample(MAX_HASHES);
  readonly #known = new HashSample(MAX_HASHES);

  /** Approximate memory use. */
  get bytes(): number {
    return [this.#runs, this.#values, this.#shared, this.#known].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** All cases must be added before the first known text. */
  addCase({ prompt, expected }: LeakSource): void {
    visitRuns(plain(prompt), (hash, _from, _to, isRun) => {
      if (isRun) this.#runs.add(hash);
    });
    for (const hash of new Set(expected.flatMap(hashOfValue))) {
      if (this.#values.has(hash)) this.#shared.add(hash);
      this.#values.add(hash);
    }
  }

  /** Adds a text that may be repeated: of the base, or names, descriptions and enum values of tools. */
  addKnown(text: string): void {
    visitRuns(plain(text), (hash, _from, _to, isRun) => {
      if ((isRun && this.#runs.has(hash)) || this.#values.has(hash)) this.#known.add(hash);
    });
  }

  /** The first words of the text that occur only in a case. Takes time proportional to its length. */
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
 * Takes about a second per 10 MB of prompts.
 * @param cases all cases of the suite, including held-out ones
 * @param known texts that may be repeated: base components, names, descriptions and enum values of tools
 */
export function indexLeaks(cases: Iterable<LeakSource>, known: readonly string[]): LeakIndex {
  const index = new LeakIndex();
  for (const one of cases) index.addCase(one);
  for (const text of known) index.addKnown(text);
  return index;
}

/** A value longer than a run of words is represented by its first run. */
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
