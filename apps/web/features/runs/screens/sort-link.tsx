import { Link } from '@tanstack/react-router';
import { keptOf, type RunOrder, type RunsSearch } from '../address';
import { keepView } from '../parts/kept-view';

/** The order of a column, and which of its values come first. */
const ORDERS: Record<string, readonly [order: RunOrder, first: 'ascending' | 'descending']> = {
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

/** The head of a column: a link that sorts by it, and the other way round when it does already. */
export function SortLink({ column, search }: { column: string; search: RunsSearch }) {
  const [order] = ORDERS[column] ?? [];
  if (!order) return column;
  const sorted = sortedBy(column, search);
  const reverse = sorted !== undefined && !search.reverse ? true : undefined;
  const next: RunsSearch = { ...search, after: undefined, order: order === 'newest' ? undefined : order, reverse };
  return (
    <Link
      to="/runs"
      search={next}
      onClick={() => keepView('runs', keptOf(next))}
      title={sorted ? 'Reverse the order' : 'Sort by this'}
    >
      {column}
      <span aria-hidden="true">{sorted === 'ascending' ? ' ↑' : sorted === 'descending' ? ' ↓' : ''}</span>
    </Link>
  );
}
