import { queryOptions } from '@tanstack/react-query';
import type { System } from '#lib/contracts/system';
import { client } from './client';
import { keys } from './keys';

/** How often it is asked for again while somebody looks. */
const REFRESH_MS = 10_000;

/** Whether workers are alive and the stores answer. */
export const systemQuery = queryOptions({
  queryKey: keys.system,
  queryFn: ({ signal }) => client.call<System>('GET', '/api/system', undefined, { signal }),
  refetchInterval: REFRESH_MS,
});
