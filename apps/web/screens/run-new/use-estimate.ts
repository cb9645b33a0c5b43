import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { Estimate } from '#lib/contracts/estimate';
import { estimateQuery } from '../../api/runs';
import { useSettled } from '../../parts/settled';

/** What a run will take, asked again when nothing was typed for a moment. The request before is aborted. */
export function useEstimate(body: string | undefined): UseQueryResult<Estimate> {
  const settled = useSettled(body);
  return useQuery(estimateQuery(body === undefined ? undefined : settled));
}
