import {
  hashKey,
  useQuery,
  useSuspenseQuery,
  type DefaultError,
  type QueryKey,
  type UseSuspenseQueryOptions,
  type UseSuspenseQueryResult,
} from '@tanstack/react-query';
import { useDeferredValue, useMemo, type ReactNode } from 'react';
import type { Page } from '#lib/contracts/page';
import { PageLinks } from './navigation';
import { QueryBoundary } from './query-boundary';
import { Table, type TableProps } from './table';

/** Reads a query that follows the address. What it showed stays until the data of the new address are there. */
export function useKeptQuery<Data, Key extends QueryKey>(
  query: UseSuspenseQueryOptions<Data, DefaultError, Data, Key>,
): UseSuspenseQueryResult<Data> {
  const key = hashKey(query.queryKey);
  // eslint-disable-next-line react-hooks/exhaustive-deps -- a query is what its key says, and made for each rendering
  const current = useMemo(() => query, [key]);
  return useSuspenseQuery(useDeferredValue(current));
}

interface Props<Row, Key extends QueryKey> extends Omit<TableProps<Row>, 'rows'> {
  query: UseSuspenseQueryOptions<Page<Row>, DefaultError, Page<Row>, Key>;
  /** The cursor in the address, undefined on the first page. */
  after?: string | number;
  /** What the pages list: "gates". */
  of: string;
  /** Shown instead of a table without rows. */
  empty: ReactNode;
  /** The height reserved for it, in rows. */
  height?: number;
  /** The labels of the links to its pages. */
  words?: readonly [first: string, next: string];
  hash?: string;
  /** Without links to further pages: something else leads to them. */
  isWhole?: boolean;
}

/** A list of the API, page by page, as a table. */
export function List<Row, Key extends QueryKey>({ height = 8, ...list }: Props<Row, Key>) {
  const { query, of, after, words, hash } = list;
  const { isLoadingError: hasFailed } = useQuery({ ...query, enabled: false });
  return (
    <>
      <QueryBoundary rows={height}>
        <Rows {...list} />
      </QueryBoundary>
      {/* The cursor in the address may be too old. */}
      {hasFailed && <PageLinks {...{ of, after, words, hash }} next={null} />}
    </>
  );
}

function Rows<Row, Key extends QueryKey>({ query, after, of, empty, words, hash, isWhole, ...table }: Props<Row, Key>) {
  const { items, next_cursor: next } = useKeptQuery(query).data;
  return (
    <>
      {items.length > 0 ? <Table rows={items} hasCards {...table} /> : empty}
      {!isWhole && <PageLinks {...{ of, after, next, words, hash }} />}
    </>
  );
}
