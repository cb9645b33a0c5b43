import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Case } from '#lib/contracts/case';
import type { Page } from '#lib/contracts/page';
import type { SuiteChanges, SuiteVersion, SuiteVersionHead } from '#lib/contracts/suite-version';
import { client } from './client';
import { keys } from './keys';

const pathOf = (suiteId: string): string => `/api/tool-suites/${encodeURIComponent(suiteId)}/versions`;
const keyOf = (suiteId: string) => [...keys.suite(suiteId), 'versions'] as const;

/** Versions pinned by runs never change; the current version may. */
export const versionsQuery = (suiteId: string) =>
  infiniteQueryOptions({
    queryKey: keyOf(suiteId),
    queryFn: ({ pageParam, signal }) =>
      client.call<Page<SuiteVersionHead>>('GET', `${pathOf(suiteId)}?limit=50${pageParam}`, undefined, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : `&cursor=${cursor}`),
  });

export const versionQuery = (suiteId: string, version: string) =>
  queryOptions({
    queryKey: [...keyOf(suiteId), version],
    queryFn: ({ signal }) =>
      client.call<SuiteVersion>('GET', `${pathOf(suiteId)}/${encodeURIComponent(version)}`, undefined, { signal }),
  });

export const changesQuery = (suiteId: string, from: number, to: number) =>
  queryOptions({
    queryKey: [...keyOf(suiteId), from, 'changes', to],
    queryFn: ({ signal }) =>
      client.call<SuiteChanges>('GET', `${pathOf(suiteId)}/${from}/changes?to=${to}`, undefined, { signal }),
  });

export const caseOfVersionQuery = (suiteId: string, version: number, caseId: string) =>
  queryOptions({
    queryKey: [...keyOf(suiteId), version, 'cases', caseId],
    queryFn: ({ signal }) =>
      client.call<Case>('GET', `${pathOf(suiteId)}/${version}/cases/${caseId}`, undefined, { signal }),
  });
