import { queryOptions } from '@tanstack/react-query';
import type { MetricInfo } from '#lib/contracts/metric';
import type { Page } from '#lib/contracts/page';
import type { z } from 'zod';
import { client } from './client';
import { keys } from './keys';

/** The meaning of each metric. It changes only with a release. */
export const metricsQuery = queryOptions({
  queryKey: keys.metrics,
  queryFn: ({ signal }) => client.call<Page<z.infer<typeof MetricInfo>>>('GET', '/api/metrics', undefined, { signal }),
  staleTime: Infinity,
});
