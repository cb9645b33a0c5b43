import { queryOptions } from '@tanstack/react-query';
import type { ComparedItem, Comparison, Comparisons } from '#lib/contracts/comparison';
import type { Page } from '#lib/contracts/page';
import { client, pathWith } from '../../api/client';
import { keys } from '../../api/keys';
import { POLL_MS } from '../../api/query-client';
import { runsQuery } from '../runs/api';
import { comparisonQueryOf, settingsOf, type CompareSearch } from './address';

const ROUTE = '/api/compare';

/** Each run of the address against the first. Unfinished ones are polled. */
export const comparisonsQuery = (search: CompareSearch) => {
  const path = `${ROUTE}?${comparisonQueryOf(search)}`;
  return queryOptions({
    queryKey: [...keys.comparisons, path],
    queryFn: async ({ signal }): Promise<Comparison[]> => {
      const answer = await client.call<Comparison | Comparisons>('GET', path, undefined, { signal });
      return 'comparisons' in answer ? answer.comparisons : [answer];
    },
    refetchInterval: ({ state }) => (state.data?.some(goesOn) ? POLL_MS : false),
  });
};

const goesOn = ({ all }: Comparison): boolean => all.reasons.includes('running');

/** Runs to choose from, newest first. @param suite undefined for all suites */
export const runsToCompareQuery = (suite?: string, cursor?: string) => runsQuery({ suite, cursor, limit: 20 });

const ITEMS_PAGE = 20;
/** A filtered page of the API may be empty. Up to this many further pages are read. */
const MAX_READS = 10;

/** Cases of one comparison, side by side, with the filters of its address. */
export const comparedItemsQuery = (a: string, b: string, search: CompareSearch) => {
  const { target, outcome, category, after } = search;
  const filter = { ...settingsOf(search), target, outcome: outcome === 'all' ? undefined : outcome, category };
  const pathFrom = (cursor: string): string =>
    pathWith(`${ROUTE}/items`, { a, b, limit: ITEMS_PAGE, ...filter, cursor });
  return queryOptions({
    queryKey: [...keys.comparisons, pathFrom(after ?? '')],
    queryFn: async ({ signal }): Promise<Page<ComparedItem>> => {
      const items: ComparedItem[] = [];
      let cursor: string | null = after ?? '';
      for (let reads = 0; cursor !== null && items.length < ITEMS_PAGE && reads < MAX_READS; reads++) {
        const page: Page<ComparedItem> = await client.call('GET', pathFrom(cursor), undefined, { signal });
        items.push(...page.items);
        cursor = page.next_cursor;
      }
      return { items, next_cursor: cursor };
    },
  });
};
