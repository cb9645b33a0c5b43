import type { Page } from '#lib/contracts/page';

/** A page of a list, from up to `limit` + 1 rows. */
export function toPage<Item extends { id: string }>(rows: Item[], limit: number): Page<Item> {
  const items = rows.slice(0, limit);
  return { items, next_cursor: rows.length > limit ? items.at(-1)!.id : null };
}
