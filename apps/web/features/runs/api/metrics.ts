import { queryOptions } from '@tanstack/react-query';
import type { MetricInfo } from '#lib/contracts/metric';
import type { Page } from '#lib/contracts/page';
import type { z } from 'zod';
import { read } from '../../../api/client';
import { keys } from '../../../api/keys';

/** The meaning of each metric. It changes only with a release. */
export const metricsQuery = queryOptions({
  queryKey: keys.metrics,
  queryFn: read<Page<z.infer<typeof MetricInfo>>>('/api/metrics'),
  staleTime: Infinity,
});
