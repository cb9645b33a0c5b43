import { keyOf, searchOf } from '../../address';

/** Spending ranges other than this month, and groupings other than by model, with their labels. */
export const SPENDING_SPANS = { last_month: 'last month', last_30_days: 'last 30 days' } as const;
export const SPENDING_BY = { suite: 'suite', person: 'person' } as const;
export const spendingSearch = searchOf({
  span: keyOf(SPENDING_SPANS),
  by: keyOf(SPENDING_BY),
});
export type SpendingSearch = ReturnType<typeof spendingSearch>;
export type SpendingSpan = SpendingSearch['span'];
