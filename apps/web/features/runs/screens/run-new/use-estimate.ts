import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { Estimate } from '#lib/contracts/estimate';
import { estimateQuery } from '../../api/runs';
import { useDebounced } from '../../../../ui/debounced';

/** The estimate of a run, requested again after a short pause in typing. The previous request is aborted. */
export function useEstimate(body: string | undefined): UseQueryResult<Estimate> {
  const settled = useDebounced(body);
  return useQuery(estimateQuery(body === undefined ? undefined : settled));
}
