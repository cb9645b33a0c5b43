/** What is known of a paged list: where each page begins, and the row count of loaded pages. */
export interface Pages {
  cursors: readonly (string | null)[];
  counts: readonly number[];
}

/** A loaded page. */
interface ReadPage {
  items: readonly unknown[];
  next_cursor: string | null;
}

/** Maximum number of rows that a list shows for one filter. */
export const MAX_ROWS = 50_000;

export const FIRST_PAGE: Pages = { cursors: [null], counts: [] };

export const rowCount = ({ counts }: Pages): number => counts.reduce((sum, count) => sum + count, 0);
/** Whether the last page has been loaded. */
export const isWhole = ({ cursors, counts }: Pages): boolean => cursors.length === counts.length;
export const isFull = (pages: Pages): boolean => rowCount(pages) >= MAX_ROWS;

/**
 * Adds the metadata of loaded pages. If a page has changed since it was first loaded, the pages after it are dropped.
 * @returns the same object if nothing is new
 */
export function withRead(pages: Pages, read: ReadonlyMap<number, ReadPage>): Pages {
  let known = pages;
  for (const [index, { items, next_cursor: next }] of [...read].sort(([one], [other]) => one - other)) {
    if (index > known.counts.length) continue;
    const isAsKnown = known.counts[index] === items.length && (known.cursors[index + 1] ?? null) === next;
    if (isAsKnown) continue;
    known = {
      cursors: [...known.cursors.slice(0, index + 1), ...(next === null ? [] : [next])],
      counts: [...known.counts.slice(0, index), items.length],
    };
  }
  return known;
}

/** The page of a row, and the row's index in it; undefined for a row in no loaded page. */
export function placeOf({ counts }: Pages, row: number): { page: number; at: number } | undefined {
  let at = row;
  for (const [page, count] of counts.entries()) {
    if (at < count) return { page, at };
    at -= count;
  }
  return undefined;
}

/** The pages to load: those in view and their neighbours, and the next one when the window is near the end. */
export function wantedPages(pages: Pages, first: number, last: number): number[] {
  const end = pages.counts.length;
  const from = placeOf(pages, first)?.page ?? Math.max(0, end - 1);
  const to = placeOf(pages, last)?.page ?? end;
  const wanted = [];
  for (let page = Math.max(0, from - 1); page <= to + 1; page++)
    if (page < end || (page === end && !isWhole(pages) && !isFull(pages))) wanted.push(page);
  return wanted;
}
