import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ApiClient, ApiError } from '#lib/client/api-client';
import type { Page } from '#lib/contracts/page';
import { tab } from './tab';

/** Calls the API that served the page, authenticated by the session cookie, for the team of this tab. */
export const client = new ApiClient(location.origin, undefined, tab.team);

/** The status of a refusal; undefined when there was no response. */
export const statusOf = (error: unknown): number | undefined =>
  error instanceof ApiError ? error.problem.status : undefined;

/** What kind of refusal it is, where the page acts on it. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof ApiError ? error.problem.code : undefined;

/** Whether the API found fault with what was sent: the same again would not help. */
export const isFieldFault = (error: unknown): boolean =>
  error instanceof ApiError && error.problem.errors !== undefined;

/** Whether the browser got no response at all: it throws a `TypeError` then, whose words differ between browsers. */
export const isNoAnswer = (error: unknown): boolean =>
  error instanceof TypeError && /fetch|NetworkError|Load failed/i.test(error.message);

/** Reads a path of the API, as the function of a query. */
export const read =
  <Answer>(path: string) =>
  ({ signal }: { signal: AbortSignal }): Promise<Answer> =>
    client.call<Answer>('GET', path, undefined, { signal });

type QueryValue = string | number | boolean | null | undefined;

/** A path with its query string. Undefined, null and empty values are left out; a list repeats its key. */
export function pathWith(path: string, query: Record<string, QueryValue | readonly QueryValue[]>): string {
  const search = new URLSearchParams();
  for (const [key, values] of Object.entries(query))
    for (const value of [values].flat()) if (value != null && value !== '') search.append(key, String(value));
  return search.size > 0 ? `${path}?${search}` : path;
}

/** The query of a path. @param scope what its key begins with, from `keys` */
export const readQuery = <Answer>(scope: readonly unknown[], path: string) =>
  queryOptions({ queryKey: [...scope, path], queryFn: read<Answer>(path) });

/** A list that is read page by page. Its path has a query. */
export const pagesQuery = <Item>(scope: readonly unknown[], path: string) =>
  infiniteQueryOptions({
    queryKey: [...scope, path],
    queryFn: ({ pageParam, signal }) => read<Page<Item>>(`${path}${pageParam}`)({ signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) =>
      cursor === null ? undefined : `&cursor=${encodeURIComponent(cursor)}`,
  });

/**
 * What work would cost. The estimate before stays while the next one is fetched.
 * @param body the text of its request; undefined while there is nothing to estimate
 */
export const estimateQuery = <Estimate>(scope: readonly unknown[], path: string, body: string | undefined) =>
  queryOptions({
    queryKey: [...scope, path, body],
    queryFn: ({ signal }) => client.call<Estimate>('POST', path, body, { signal }),
    enabled: body !== undefined,
    placeholderData: keepPreviousData,
    // Invalid input stays invalid: no retry.
    retry: (failures, error) => failures < 1 && (statusOf(error) ?? 500) >= 500,
  });
