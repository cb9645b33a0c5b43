import { isIdPrefix, startsWithId } from './ids.js';

/** By the best kind of match that there is: a name counts more than the beginning of an id. */
export function matchByName<Item extends { id: string; name: string }>(items: readonly Item[], wanted: string): Item[] {
  const matches = [
    items.filter(({ name }) => name === wanted),
    items.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase()),
    isIdPrefix(wanted) ? items.filter(({ id }) => startsWithId(id, wanted)) : [],
  ];
  return matches.find(({ length }) => length > 0) ?? [];
}
