import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Estimate } from '#lib/contracts/estimate';
import { estimateQuery } from '../../api/runs';

const SETTLED_AFTER_MS = 400;

/** What a run will take, asked again when nothing was typed for a moment. The request before is aborted. */
export function useEstimate(body: string | undefined): UseQueryResult<Estimate> {
  const [settled, setSettled] = useState(body);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(body), SETTLED_AFTER_MS);
    return () => clearTimeout(timer);
  }, [body]);
  return useQuery(estimateQuery(body === undefined ? undefined : settled));
}
