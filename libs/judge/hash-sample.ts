import { createHash } from 'node:crypto';

/**
 * A deterministic sample of the items, in their original order.
 * @param keyOf the unique key of an item, with the seed
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
