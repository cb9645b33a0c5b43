import type { Finding, Measured, Strategy, Trial } from './strategy.js';

/** A search as a coroutine: it yields trials, receives their measurements, and returns its finding. */
export type Search = Generator<readonly Trial[], Finding, readonly Measured[]>;

/** @throws Error when it is called out of order */
export function strategyOf(search: Search): Strategy {
  let at = search.next();
  return {
    propose: () => (at.done ? [] : at.value),
    observe(measured) {
      if (at.done || measured.length !== at.value.length)
        throw new Error(`${measured.length} trials were observed, but ${at.done ? 0 : at.value.length} proposed.`);
      at = search.next(measured);
    },
    finish() {
      if (!at.done) throw new Error('The search is not over.');
      return at.value;
    },
  };
}
