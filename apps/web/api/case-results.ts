import { infiniteQueryOptions } from '@tanstack/react-query';
import type { CaseResult } from '#lib/contracts/case-result';
import type { Page } from '#lib/contracts/page';
import { client } from './client';
import { keys } from './keys';

/** The results of a case in all runs, the newest run first. */
export const caseResultsQuery = (suiteId: string, caseId: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.cases(suiteId), caseId, 'results'],
    queryFn: ({ pageParam, signal }) =>
      client.call<Page<CaseResult>>(
        'GET',
        `/api/tool-suites/${encodeURIComponent(suiteId)}/cases/${encodeURIComponent(caseId)}/results` +
          `?limit=200${pageParam}`,
        undefined,
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : `&cursor=${cursor}`),
  });
