import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { ApiClient, ApiError } from '#lib/client/api-client';
import type { Page } from '#lib/contracts/page';

/** Calls the API that served the page, authenticated by the session cookie. */
export const client = new ApiClient(location.origin);

/** The status of a refusal; undefined when there was no response. */
export const statusOf = (error: unknown): number | undefined =>
  error instanceof ApiError ? error.problem.status : undefined;

/** Reads a path of the API, as the function of a query. */
export const read =
  <Answer>(path: string) =>
  ({ signal }: { signal: AbortSignal }): Promise<Answer> =>
    client.call<Answer>('GET', path, undefined, { signal });

/** The query of a path. */
export const readQuery = <Answer>(queryKey: readonly unknown[], path: string) =>
  queryOptions({ queryKey, queryFn: read<Answer>(path) });

/** A list that is read page by page. Its path has a query. */
export const pagesQuery = <Item>(queryKey: readonly unknown[], path: string) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read<Page<Item>>(`${path}${pageParam}`)({ signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) =>
      cursor === null ? undefined : `&cursor=${encodeURIComponent(cursor)}`,
  });
