import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { SpendingBy, SpendingReport } from '#lib/contracts/spending';
import { client } from '../../../api/client';
import { keys } from '../../../api/keys';

export interface Span {
  from: string;
  to: string;
}

/** Spending on each day of a range, with a second grouping. */
export const spendingReportQuery = (span: Span, by: Exclude<SpendingBy, 'day'>) =>
  queryOptions({
    queryKey: [...keys.spending, span, by],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ ...span, by: `day,${by}` });
      return client.call<SpendingReport>('GET', `/api/spending?${query}`, undefined, { signal });
    },
  });
