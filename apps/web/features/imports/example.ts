import { queryOptions } from '@tanstack/react-query';
import { client } from '../../api/client';
import { keys } from '../../api/keys';

/** A small suite to start from, as the text of a file. */
export const exampleSuiteQuery = queryOptions({
  queryKey: [...keys.suites, 'example'],
  queryFn: async ({ signal }) =>
    JSON.stringify(await client.call<unknown>('GET', '/api/tool-eval/import/example', undefined, { signal }), null, 2),
  staleTime: Infinity,
});
