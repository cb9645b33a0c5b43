import { keyOf, searchOf } from '../../address';

/** Spending ranges other than this month, and groupings other than by model, with their labels. */
export const SPENDING_SPANS = { last_month: 'Last month', last_30_days: 'Last 30 days' } as const;
export const SPENDING_BY = { provider: 'By provider', suite: 'By suite', person: 'By person' } as const;
export const spendingSearch = searchOf({ span: keyOf(SPENDING_SPANS), by: keyOf(SPENDING_BY) });
export type SpendingSearch = ReturnType<typeof spendingSearch>;

const DAY_MS = 86_400_000;
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The first and last UTC day that a range means now. */
export function daysOf(span: SpendingSearch['span'], now: number): { from: string; to: string } {
  const today = new Date(now);
  const firstOf = (months: number): number => Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months, 1);
  if (span === 'last_month') return { from: dayOf(firstOf(-1)), to: dayOf(firstOf(0) - DAY_MS) };
  return { from: dayOf(span === 'last_30_days' ? now - 29 * DAY_MS : firstOf(0)), to: dayOf(now) };
}

/** Every UTC day of a range. */
export const eachDay = ({ from, to }: { from: string; to: string }): string[] =>
  Array.from({ length: (Date.parse(to) - Date.parse(from)) / DAY_MS + 1 }, (_, place) =>
    dayOf(Date.parse(from) + place * DAY_MS),
  );
