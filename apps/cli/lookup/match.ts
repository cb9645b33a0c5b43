import { NegativeAnswer } from '../exit-codes.js';

const MIN_PREFIX_LENGTH = 4;

export const isWholeId = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

/** Whether a text can be an id prefix. Shorter ones would sooner or later match by accident. */
export const isIdPrefix = (text: string): boolean =>
  text.length >= MIN_PREFIX_LENGTH && /^[\da-f]{1,8}(-[\da-f]{0,4}){0,3}(-[\da-f]{0,12})?$/i.test(text);

export const startsWithId = (id: string, prefix: string): boolean => id.startsWith(prefix.toLowerCase());

/** The items with the best kind of match: a name takes precedence over an id prefix. */
export function matchByName<Item extends { id: string; name: string }>(items: readonly Item[], wanted: string): Item[] {
  const matches = [
    items.filter(({ name }) => name === wanted),
    items.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase()),
    isIdPrefix(wanted) ? items.filter(({ id }) => startsWithId(id, wanted)) : [],
  ];
  return matches.find(({ length }) => length > 0) ?? [];
}

/**
 * The only item that was found.
 * @param texts messages for no match and for several, and a description that tells several apart
 */
export function onlyMatch<Item>(
  found: readonly Item[],
  texts: { none: () => string; several: (count: number) => string; each: (item: Item) => string },
): Item {
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw new NegativeAnswer(texts.none());
  throw new NegativeAnswer(texts.several(found.length), found.map(texts.each));
}
