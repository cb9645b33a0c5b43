import type { Finding, Measured, Strategy, Trial } from './strategy.js';

/** A search as it is written down: it yields trials, gets what they measured, and returns what it found. */
export type Search = Generator<readonly Trial[], Finding, readonly Measured[]>;

/** @throws Error when it is asked or told out of turn */
export function strategyOf(search: Search): Strategy {
  let at = search.next();
  return {
    propose: () => (at.done ? [] : at.value),
    observe(measured) {
      if (at.done || measured.length !== at.value.length)
        throw new Error(`${measured.length} trials were observed, and ${at.done ? 0 : at.value.length} proposed.`);
      at = search.next(measured);
    },
    finish() {
      if (!at.done) throw new Error('The search is not over.');
      return at.value;
    },
  };
}
