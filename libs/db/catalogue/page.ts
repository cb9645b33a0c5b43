import type { Page } from '#lib/contracts/page';

/**
 * A page of a list, from up to `limit` + 1 rows.
 * @param cursorOf the cursor after a row
 */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  cursorOf: (last: Row) => string,
): Page<Item> {
  const shown = rows.slice(0, limit);
  return { items: shown.map(toItem), next_cursor: rows.length > limit ? cursorOf(shown.at(-1)!) : null };
}

/** A page of items with ids. */
export const toPage = <Item extends { id: string }>(items: readonly Item[], limit: number): Page<Item> =>
  pageOf(
    items,
    limit,
    (item) => item,
    ({ id }) => id,
  );
