import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import type { ResultsSearch } from '../address';
import { resultPageQuery, type Result } from '../api';
import { FIRST_PAGE, isFull, isWhole, placeOf, rowCount, wantedPages, withRead } from './pages';

export interface ResultRows {
  /** Number of known rows. */
  count: number;
  /** Whether every row of the filter is known. */
  isWhole: boolean;
  /** Whether there are more rows than the list shows. */
  isFull: boolean;
  isLoading: boolean;
  rowAt: (index: number) => Result | undefined;
  /** The index of a result among the loaded rows; -1 if it is not loaded. */
  indexOf: (resultId: string) => number;
  setWindow: (first: number, last: number) => void;
  error: Error | null;
  retry: () => void;
}

/** The rows of a result list: pages in and near the view are loaded, and dropped once they are far from it. */
export function useResultRows(runId: string, search: ResultsSearch): ResultRows {
  const [pages, setPages] = useState(FIRST_PAGE);
  const [[first, last], setWindow] = useState([0, 0]);
  const wanted = wantedPages(pages, first, last).filter((page) => page < pages.cursors.length);
  const queries = useQueries({
    queries: wanted.map((page) => resultPageQuery(runId, search, pages.cursors[page] ?? null)),
  });
  const read = new Map(
    wanted.flatMap((page, index) => {
      const { data } = queries[index]!;
      return data ? [[page, data] as const] : [];
    }),
  );
  const known = withRead(pages, read);
  if (known !== pages) setPages(known);
  const failed = queries.find(({ isError }) => isError);
  return {
    count: rowCount(known),
    isWhole: isWhole(known),
    isFull: isFull(known),
    isLoading: queries.some(({ isFetching }) => isFetching),
    rowAt: (index) => {
      const place = placeOf(known, index);
      return place && read.get(place.page)?.items[place.at];
    },
    indexOf: (resultId) => {
      for (const [page, { items }] of read) {
        const at = items.findIndex(({ id }) => id === resultId);
        if (at >= 0) return known.counts.slice(0, page).reduce((sum, count) => sum + count, at);
      }
      return -1;
    },
    setWindow: (from, to) => setWindow([from, to]),
    error: failed?.error ?? null,
    retry: () => void Promise.all(queries.filter(({ isError }) => isError).map(({ refetch }) => refetch())),
  };
}
