import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import type { RunCase, RunCases } from '#lib/contracts/run-facets';
import { useDebounced } from '../../../../ui/debounced';
import type { MatrixSearch } from '../../address';
import { CASES_A_PAGE, isCounting, runCasesQuery } from '../../api';

/** A scroll passes pages that nobody reads. */
const SETTLED_MS = 80;

interface CasePages {
  caseAt: (nth: number) => RunCase | undefined;
  /** @param last of the cases that are in view */
  setWindow: (first: number, last: number) => void;
  error: Error | null;
  retry: () => void;
}

/** The cases of a run at a filter, of which only the pages in view are loaded. */
export function useCasePages(runId: string, search: MatrixSearch, first: RunCases): CasePages {
  const [pages, setPages] = useState('0 0');
  const [from, to] = useDebounced(pages, SETTLED_MS).split(' ').map(Number) as [number, number];
  const lastPage = Math.max(0, Math.ceil(first.total / CASES_A_PAGE) - 1);
  const wanted: number[] = [];
  for (let page = Math.max(1, from); page <= Math.min(to, lastPage); page++) wanted.push(page);
  const queries = useQueries({ queries: wanted.map((page) => runCasesQuery(runId, search, page)) });
  const read = new Map([[0, first]]);
  for (const [index, page] of wanted.entries()) {
    const data = queries[index]?.data;
    if (data && !isCounting(data)) read.set(page, data);
  }
  return {
    caseAt: (nth) => read.get(Math.floor(nth / CASES_A_PAGE))?.items[nth % CASES_A_PAGE],
    setWindow: (start, end) => setPages(`${Math.floor(start / CASES_A_PAGE)} ${Math.floor(end / CASES_A_PAGE)}`),
    error: queries.find(({ isError }) => isError)?.error ?? null,
    retry: () => void Promise.all(queries.filter(({ isError }) => isError).map(({ refetch }) => refetch())),
  };
}
