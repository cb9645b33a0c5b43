import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type { CaseResult, CaseVerdicts } from '#lib/contracts/case-result';
import type { Page } from '#lib/contracts/page';
import type {
  Result as ResultSchema,
  ResultNeighbours as NeighboursSchema,
  ResultWithExchange as WithExchangeSchema,
} from '#lib/contracts/result';
import { pagesQuery, pathWith, readQuery } from '../../api/client';
import { keys } from '../../api/keys';
import { resultsFilter, type ResultsSearch } from './address';

export type Result = z.infer<typeof ResultSchema>;
export type ResultWithExchange = z.infer<typeof WithExchangeSchema>;
type Neighbours = z.infer<typeof NeighboursSchema>;

const PAGE = 200;
/** A page far from every window is dropped. */
const DROPPED_AFTER_MS = 60_000;

const pathOf = (runId: string): string => `/api/tool-eval/history/${encodeURIComponent(runId)}/results`;
export const onePathOf = (runId: string, resultId: string): string =>
  `${pathOf(runId)}/${encodeURIComponent(resultId)}`;

/** What the keys of a run's lists of results begin with. */
export const resultPages = (runId: string) => [...keys.results(runId), 'page'];

/**
 * A page of a list, by the cursor of the previous page. It is never refetched, so that a list does not move while it is
 * read.
 */
export const resultPageQuery = (runId: string, search: ResultsSearch, cursor: string | null) =>
  queryOptions({
    ...readQuery<Page<Result>>(
      resultPages(runId),
      pathWith(pathOf(runId), { ...resultsFilter(search), lean: true, limit: PAGE, cursor }),
    ),
    staleTime: Infinity,
    gcTime: DROPPED_AFTER_MS,
  });

/** Up to 50 results by their ids, for the names of their cases. */
export const namedResultsQuery = (runId: string, ids: readonly string[]) =>
  readQuery<Page<Result>>(keys.results(runId), pathWith(pathOf(runId), { id: ids, lean: true }));

/** @param rescore whose verdict to use; undefined for the run's own */
export const resultQuery = (runId: string, resultId: string, rescore?: string) =>
  queryOptions({
    ...readQuery<ResultWithExchange>(
      keys.results(runId),
      pathWith(onePathOf(runId, resultId), { rescore_id: rescore }),
    ),
    gcTime: DROPPED_AFTER_MS,
  });

/** The neighbours of a result in a list with this filter and order. */
export const neighboursQuery = (runId: string, resultId: string, search: ResultsSearch) =>
  queryOptions({
    ...readQuery<Neighbours>(
      keys.results(runId),
      pathWith(`${onePathOf(runId, resultId)}/neighbours`, resultsFilter(search)),
    ),
    gcTime: DROPPED_AFTER_MS,
  });

/** The samples of a case by one model in a run: the first 200. */
export const samplesQuery = (runId: string, caseId: string, model: string) =>
  readQuery<Page<Result>>(
    keys.results(runId),
    pathWith(pathOf(runId), { case_id: caseId, model, order: 'case', lean: true, limit: PAGE }),
  );

const casePathOf = (suiteId: string, caseId: string): string =>
  `/api/tool-suites/${encodeURIComponent(suiteId)}/cases/${encodeURIComponent(caseId)}`;

/** The verdicts on a case by run and model, in the newest runs. @param runId one to include, however old it is */
export const caseVerdictsQuery = (suiteId: string, caseId: string, runId?: string) =>
  readQuery<CaseVerdicts>(keys.cases(suiteId), pathWith(`${casePathOf(suiteId, caseId)}/verdicts`, { eval_id: runId }));

/** The results of a case in all runs, the newest run first. */
export const caseResultsQuery = (suiteId: string, caseId: string) =>
  pagesQuery<CaseResult>(keys.cases(suiteId), `${casePathOf(suiteId, caseId)}/results?limit=200`);
