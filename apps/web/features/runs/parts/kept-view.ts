import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { View } from '#lib/contracts/kept';
import type { ViewList } from '#lib/contracts/values/kept';
import { newIdempotencyKey } from '../../../api/action';
import { client, readQuery } from '../../../api/client';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';

type Kept = Record<string, unknown>;
type Filters = View['filters'];

const pathOf = (list: ViewList): string => `/api/me/views/${list}`;

/** The reader's own view of a list. It changes only here. */
const viewQuery = (list: ViewList) => ({
  ...readQuery<View>(keys.views, pathOf(list)),
  staleTime: Infinity,
});

const isSaid = (value: unknown): boolean => value !== undefined && value !== '';
const filtersOf = (kept: Kept): Filters =>
  Object.fromEntries(
    Object.entries(kept).flatMap(([key, value]) =>
      isSaid(value) ? [[key, Array.isArray(value) ? value.map(String) : String(value)]] : [],
    ),
  );

/**
 * Keeps the filters and the order of a list for the reader. They come back when the list is opened without any, and
 * change when the reader changes them, not by following a link to a filtered list.
 * @param kept what of the address is kept
 * @param restore goes to the address with what was kept; undefined if the address says what to show
 */
export function useKeptView(list: ViewList, kept: Kept, restore: ((filters: Filters) => void) | undefined): void {
  const { data } = useQuery({ ...viewQuery(list), retry: false });
  const current = JSON.stringify(filtersOf(kept));
  const shown = useRef(current);
  const isRestored = useRef(current !== '{}');
  useEffect(() => {
    if (!data) return;
    const isFirst = !isRestored.current;
    isRestored.current = true;
    if (isFirst && restore && current === '{}' && Object.keys(data.filters).length > 0) {
      shown.current = JSON.stringify(data.filters);
      return restore(data.filters);
    }
    if (shown.current === current) return;
    shown.current = current;
    const view = { filters: JSON.parse(current) as Filters };
    // What is kept is a convenience: a list works without it.
    client
      .call<View>('PUT', pathOf(list), view, { idempotencyKey: newIdempotencyKey() })
      .then((answer) => queryClient.setQueryData(viewQuery(list).queryKey, answer))
      .catch(() => {});
  }, [data, current, list, restore]);
}
