import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import type { Page } from '#lib/contracts/page';
import type { CallOptions } from '#lib/client/api-client';
import type { Suite, SuiteHead } from '#lib/contracts/suite';
import { client } from './client';
import { keys } from './keys';

/** A stored case: its numbers keep their text, and unknown fields are preserved. */
export type StoredCase = JsonObject & { id: string; position: number };
type Written<Value> = Value & { warnings: string[] };
const nextPage = ({ next_cursor: cursor }: { next_cursor: string | null }) =>
  cursor === null ? undefined : `&cursor=${encodeURIComponent(cursor)}`;
const pathOf = (suiteId: string): string => `/api/tool-suites/${encodeURIComponent(suiteId)}`;
const casePathOf = (suiteId: string, caseId: string): string =>
  `${pathOf(suiteId)}/cases/${encodeURIComponent(caseId)}`;

const filter = (name: string, text: string): string => (text === '' ? '' : `&${name}=${encodeURIComponent(text)}`);

/** @param name part of the name; empty for all */
export const suitesQuery = (name: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.suites, 'lean', name],
    queryFn: ({ pageParam, signal }) => {
      const path = `/api/tool-suites?lean=true&limit=200${filter('name', name)}${pageParam}`;
      return client.call<Page<SuiteHead>>('GET', path, undefined, { signal });
    },
    initialPageParam: '',
    getNextPageParam: nextPage,
    placeholderData: keepPreviousData,
  });

export const suiteQuery = (suiteId: string) =>
  queryOptions({
    queryKey: [...keys.suite(suiteId), 'settings'],
    queryFn: ({ signal }) => client.call<Suite>('GET', `${pathOf(suiteId)}?cases=false`, undefined, { signal }),
  });

/** @param text that the cases contain; empty for all */
export const casesQuery = (suiteId: string, text: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.cases(suiteId), 'list', text],
    queryFn: ({ pageParam, signal }) => {
      const path = `${pathOf(suiteId)}/cases?limit=100${filter('text', text)}${pageParam}`;
      return client.call<Page<StoredCase>>('GET', path, undefined, { signal });
    },
    initialPageParam: '',
    getNextPageParam: nextPage,
    placeholderData: keepPreviousData,
  });

export const caseQuery = (suiteId: string, caseId: string) =>
  queryOptions({
    queryKey: [...keys.cases(suiteId), caseId],
    queryFn: ({ signal }) => client.call<StoredCase>('GET', casePathOf(suiteId, caseId), undefined, { signal }),
  });

/** As text, so that keys like "2" keep their order, and numbers their spelling. */
const bodyOf = (value: Json): string => stringifyInSourceOrder(value);

export const createSuite = (input: Json, options: CallOptions): Promise<Written<Suite>> =>
  client.call('POST', '/api/tool-suites', bodyOf(input), options);

export const changeSuite = (suiteId: string, patch: Json, options: CallOptions): Promise<Written<Suite>> =>
  client.call('PATCH', pathOf(suiteId), bodyOf(patch), options);

export const deleteSuite = (suiteId: string, options: CallOptions): Promise<void> =>
  client.call('DELETE', pathOf(suiteId), undefined, options);

/** Creates a case if it has no id, otherwise replaces it. */
export const saveCase = (
  suiteId: string,
  caseId: string | undefined,
  input: Json,
  options: CallOptions,
): Promise<Written<StoredCase>> =>
  caseId === undefined
    ? client.call('POST', `${pathOf(suiteId)}/cases`, bodyOf(input), options)
    : client.call('PUT', casePathOf(suiteId, caseId), bodyOf(input), options);

export const deleteCase = (suiteId: string, caseId: string, options: CallOptions): Promise<void> =>
  client.call('DELETE', casePathOf(suiteId, caseId), undefined, options);
