import type { RunOrder, RunsSearch } from '../address';

/** The order of a column, and which of its values come first. */
export const ORDERS: Record<string, readonly [order: RunOrder, first: 'ascending' | 'descending']> = {
  Run: ['name', 'ascending'],
  Best: ['score', 'descending'],
  Cost: ['cost', 'descending'],
  Took: ['duration', 'descending'],
  Errored: ['errored', 'descending'],
  // Ages ascend where times descend.
  Age: ['newest', 'ascending'],
};
const OPPOSITE = { ascending: 'descending', descending: 'ascending' } as const;

/** How a column sorts the list at this address, if it does. */
export function sortedBy(column: string, { order = 'newest', reverse }: RunsSearch) {
  const [own, first] = ORDERS[column] ?? [];
  if (own !== order || !first) return undefined;
  return reverse ? OPPOSITE[first] : first;
}
