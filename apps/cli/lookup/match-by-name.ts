import { isIdPrefix, startsWithId } from './ids.js';

/** The items with the best kind of match: a name takes precedence over an id prefix. */
export function matchByName<Item extends { id: string; name: string }>(items: readonly Item[], wanted: string): Item[] {
  const matches = [
    items.filter(({ name }) => name === wanted),
    items.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase()),
    isIdPrefix(wanted) ? items.filter(({ id }) => startsWithId(id, wanted)) : [],
  ];
  return matches.find(({ length }) => length > 0) ?? [];
}
