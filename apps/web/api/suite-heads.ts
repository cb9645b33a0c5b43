import { queryOptions } from '@tanstack/react-query';
import type { Page } from '#lib/contracts/page';
import type { SuiteHead } from '#lib/contracts/suite';
import { client } from './client';
import { keys } from './keys';

/** The suites to choose from, without their tools; the first 200. */
export const suiteHeadsQuery = queryOptions({
  queryKey: [...keys.suites, 'heads'],
  queryFn: ({ signal }) =>
    client.call<Page<SuiteHead>>('GET', '/api/tool-suites?lean=true&limit=200', undefined, { signal }),
});
