import { createHash } from 'node:crypto';

/**
 * Draws some of many, the same ones whenever it is asked again, in the order in which they were given.
 * @param keyOf what makes one of them unique, and the seed
 */
export function hashSample<Item>(items: readonly Item[], most: number, keyOf: (item: Item) => string): Item[] {
  if (items.length <= most) return [...items];
  const hashed = items.map((item, index) => ({ index, hash: createHash('sha256').update(keyOf(item)).digest('hex') }));
  hashed.sort((a, b) => (a.hash < b.hash ? -1 : 1));
  return hashed
    .slice(0, most)
    .map(({ index }) => index)
    .sort((a, b) => a - b)
    .map((index) => items[index]!);
}
