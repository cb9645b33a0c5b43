import { Link } from '@tanstack/react-router';
import { keptOf, type RunsSearch } from '../address';
import { keepView } from '../parts/kept-view';
import { ORDERS, sortedBy } from './sorted-by';

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
