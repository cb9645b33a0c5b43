import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type { Page } from '#lib/contracts/page';
import type {
  Result as ResultSchema,
  ResultNeighbours as NeighboursSchema,
  ResultWithExchange as WithExchangeSchema,
} from '#lib/contracts/result';
import { resultsQuery, type ResultsSearch } from '../address';
import { readQuery, read } from '../../../api/client';
import { keys } from '../../../api/keys';

export type Result = z.infer<typeof ResultSchema>;
export type ResultWithExchange = z.infer<typeof WithExchangeSchema>;
type Neighbours = z.infer<typeof NeighboursSchema>;

const PAGE = 200;
/** A page far from every window is dropped. */
const DROPPED_AFTER_MS = 60_000;

const pathOf = (runId: string): string => `/api/tool-eval/history/${encodeURIComponent(runId)}/results`;

/**
 * A page of a list, by the cursor of the previous page. It is never refetched, so that a list does not move while it is
 * read.
 */
export const resultPageQuery = (runId: string, search: ResultsSearch, cursor: string | null) => {
  const query = resultsQuery(search);
  query.set('lean', 'true');
  query.set('limit', String(PAGE));
  if (cursor !== null) query.set('cursor', cursor);
  return queryOptions({
    queryKey: [...keys.results(runId), 'page', String(query)],
    queryFn: read<Page<Result>>(`${pathOf(runId)}?${query}`),
    staleTime: Infinity,
    gcTime: DROPPED_AFTER_MS,
  });
};

/** @param rescore whose verdict to use; undefined for the run's own */
export const resultQuery = (runId: string, resultId: string, rescore?: string) => {
  const query = rescore === undefined ? '' : `?rescore_id=${encodeURIComponent(rescore)}`;
  return queryOptions({
    queryKey: [...keys.results(runId), 'one', resultId, query],
    queryFn: read<ResultWithExchange>(`${pathOf(runId)}/${encodeURIComponent(resultId)}${query}`),
    gcTime: DROPPED_AFTER_MS,
  });
};

/** The neighbours of a result in a list with this filter and order. */
export const neighboursQuery = (runId: string, resultId: string, search: ResultsSearch) => {
  const query = String(resultsQuery(search));
  return queryOptions({
    queryKey: [...keys.results(runId), 'neighbours', resultId, query],
    queryFn: read<Neighbours>(`${pathOf(runId)}/${encodeURIComponent(resultId)}/neighbours?${query}`),
    gcTime: DROPPED_AFTER_MS,
  });
};

/** The results of a case in a run, by model and sample: the first 200. */
export const resultsOfCaseQuery = (runId: string, caseId: string) => {
  const query = new URLSearchParams({ case_id: caseId, order: 'case', lean: 'true', limit: String(PAGE) });
  return readQuery<Page<Result>>([...keys.results(runId), 'case', caseId], `${pathOf(runId)}?${query}`);
};
