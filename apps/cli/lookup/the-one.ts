import { NegativeAnswer } from '../exit-codes.js';

/**
 * The only item that was found.
 * @param texts messages for no match and for several, and a description that tells several apart
 */
export function theOne<Item>(
  found: readonly Item[],
  texts: { none: () => string; several: (count: number) => string; each: (item: Item) => string },
): Item {
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw new NegativeAnswer(texts.none());
  throw new NegativeAnswer(texts.several(found.length), found.map(texts.each));
}
