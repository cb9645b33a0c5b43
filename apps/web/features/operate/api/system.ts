import { queryOptions } from '@tanstack/react-query';
import type { System } from '#lib/contracts/system';
import { read } from '../../../api/client';
import { keys } from '../../../api/keys';

/** Polling interval while the view is open. */
const REFRESH_MS = 10_000;

/** Worker liveness and store health. */
export const systemQuery = queryOptions({
  queryKey: keys.system,
  queryFn: read<System>('/api/system'),
  refetchInterval: REFRESH_MS,
});
