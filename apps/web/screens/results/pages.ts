/** What is known of a list that is read page by page: where each page begins, and how many rows the read ones have. */
export interface Pages {
  cursors: readonly (string | null)[];
  counts: readonly number[];
}

/** A page that was read. */
interface ReadPage {
  items: readonly unknown[];
  next_cursor: string | null;
}

/** A list shows no more rows of one filter than this. */
export const MAX_ROWS = 50_000;

export const FIRST_PAGE: Pages = { cursors: [null], counts: [] };

export const rowCount = ({ counts }: Pages): number => counts.reduce((sum, count) => sum + count, 0);
/** Whether the last page was read. */
export const isWhole = ({ cursors, counts }: Pages): boolean => cursors.length === counts.length;
export const isFull = (pages: Pages): boolean => rowCount(pages) >= MAX_ROWS;

/**
 * Adds what pages say that were read. Where a page has changed since it was first read, those after it are forgotten.
 * @returns the same object when nothing is new
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

/** The page that has a row, and the row's place in it; undefined for a row that is in no page that was read. */
export function placeOf({ counts }: Pages, row: number): { page: number; at: number } | undefined {
  let at = row;
  for (const [page, count] of counts.entries()) {
    if (at < count) return { page, at };
    at -= count;
  }
  return undefined;
}

/** The pages to have: those in view and their neighbours, and the next one when the window is near the end. */
export function wantedPages(pages: Pages, first: number, last: number): number[] {
  const end = pages.counts.length;
  const from = placeOf(pages, first)?.page ?? Math.max(0, end - 1);
  const to = placeOf(pages, last)?.page ?? end;
  const wanted = [];
  for (let page = Math.max(0, from - 1); page <= to + 1; page++)
    if (page < end || (page === end && !isWhole(pages) && !isFull(pages))) wanted.push(page);
  return wanted;
}
