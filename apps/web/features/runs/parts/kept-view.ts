import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { View } from '#lib/contracts/kept';
import type { ViewList } from '#lib/contracts/values/kept';
import { newIdempotencyKey } from '../../../api/action';
import { client } from '../../../api/client';
import { queryClient } from '../../../api/query-client';
import { viewPath, viewQuery } from '../api';

type Kept = Record<string, unknown>;
type Filters = View['filters'];

const isSaid = (value: unknown): boolean => value !== undefined && value !== '';
const filtersOf = (kept: Kept): Filters =>
  Object.fromEntries(
    Object.entries(kept).flatMap(([key, value]) =>
      isSaid(value) ? [[key, Array.isArray(value) ? value.map(String) : String(value)]] : [],
    ),
  );

/** Keeps the filters and the order of a list, which the reader has just changed. @param kept as in the address */
export function keepView(list: ViewList, kept: Kept): void {
  // What is kept is a convenience: a list works without it.
  client
    .call<View>('PUT', viewPath(list), { filters: filtersOf(kept) }, { idempotencyKey: newIdempotencyKey() })
    .then((answer) => queryClient.setQueryData(viewQuery(list).queryKey, answer))
    .catch(() => {});
}

/**
 * Brings the kept filters and order back when a list is opened without any.
 * @param restore goes to the address with what was kept; undefined if the address says what to show
 */
export function useKeptView(list: ViewList, restore: ((filters: Filters) => void) | undefined): void {
  const { data } = useQuery({ ...viewQuery(list), retry: false });
  const isOpened = useRef(restore !== undefined);
  useEffect(() => {
    if (!data || !isOpened.current) return;
    isOpened.current = false;
    if (restore && Object.keys(data.filters).length > 0) restore(data.filters);
  }, [data, restore]);
}
