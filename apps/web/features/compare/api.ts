import { queryOptions } from '@tanstack/react-query';
import type { ComparedItem, Comparison, Comparisons } from '#lib/contracts/comparison';
import type { Page } from '#lib/contracts/page';
import { comparisonQueryOf, settingsOf, type CompareSearch } from './address';
import { client } from '../../api/client';
import { POLL_MS } from '../../api/refresh';
import { keys } from '../../api/keys';

const ROUTE = '/api/compare';

/** Each run of the address against the first. Unfinished ones are polled. */
export const comparisonsQuery = (search: CompareSearch) => {
  const query = comparisonQueryOf(search);
  return queryOptions({
    queryKey: [...keys.comparisons, String(query ?? '')],
    queryFn: async ({ signal }): Promise<Comparison[]> => {
      const path = `${ROUTE}?${query}`;
      const answer = await client.call<Comparison | Comparisons>('GET', path, undefined, { signal });
      return 'comparisons' in answer ? answer.comparisons : [answer];
    },
    enabled: query !== undefined,
    refetchInterval: ({ state }) => (state.data?.some(goesOn) ? POLL_MS : false),
  });
};

const goesOn = ({ all }: Comparison): boolean => all.reasons.includes('running');

const ITEMS_PAGE = 20;
/** A filtered page of the API may be empty. Up to this many further pages are read. */
const MAX_READS = 10;

/** Cases of one comparison, side by side, with the filters of its address. */
export const comparedItemsQuery = (a: string, b: string, search: CompareSearch) => {
  const { target, outcome, category, after } = search;
  const query = new URLSearchParams({
    ...{ a, b, limit: String(ITEMS_PAGE) },
    ...settingsOf(search),
    ...(target !== undefined && { target }),
    ...(outcome !== undefined && outcome !== 'all' && { outcome }),
    ...(category !== undefined && { category }),
  });
  return queryOptions({
    queryKey: [...keys.comparisons, 'items', String(query), after],
    queryFn: async ({ signal }): Promise<Page<ComparedItem>> => {
      const items: ComparedItem[] = [];
      let cursor: string | null = after ?? '';
      for (let reads = 0; cursor !== null && items.length < ITEMS_PAGE && reads < MAX_READS; reads++) {
        if (cursor !== '') query.set('cursor', cursor);
        const path = `${ROUTE}/items?${query}`;
        const page: Page<ComparedItem> = await client.call('GET', path, undefined, { signal });
        items.push(...page.items);
        cursor = page.next_cursor;
      }
      return { items, next_cursor: cursor };
    },
  });
};
