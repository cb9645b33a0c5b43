import { FIRST_PAGE, isWhole, placeOf, rowCount, wantedPages, withRead, type Pages } from './pages.js';

const page = (count: number, next: string | null) => ({ items: Array.from({ length: count }), next_cursor: next });
const read = (...pages: [number, ReturnType<typeof page>][]) => new Map(pages);

describe('a list read page by page', () => {
  const two = withRead(FIRST_PAGE, read([0, page(3, 'a')], [1, page(2, 'b')]));

  it('grows with each page read, and ends with the last one', () => {
    expect(two).toEqual({ cursors: [null, 'a', 'b'], counts: [3, 2] });
    expect([rowCount(two), isWhole(two)]).toEqual([5, false]);
    const whole = withRead(two, read([2, page(0, null)]));
    expect([rowCount(whole), isWhole(whole)]).toEqual([5, true]);
  });

  it('stays the same object when nothing is new', () => {
    expect(withRead(two, read([0, page(3, 'a')], [1, page(2, 'b')]))).toBe(two);
  });

  it('drops the pages after a changed page', () => {
    expect(withRead(two, read([0, page(3, 'c')]))).toEqual({ cursors: [null, 'c'], counts: [3] });
  });

  it('locates a row', () => {
    expect([placeOf(two, 2), placeOf(two, 3), placeOf(two, 5)]).toEqual([
      { page: 0, at: 2 },
      { page: 1, at: 0 },
      undefined,
    ]);
  });

  it('requests the pages in view and their neighbours, and continues at the end', () => {
    expect(wantedPages(FIRST_PAGE, 0, 0)).toEqual([0]);
    expect(wantedPages(two, 0, 1)).toEqual([0, 1]);
    expect(wantedPages(two, 3, 4)).toEqual([0, 1, 2]);
    const many: Pages = { cursors: Array(21).fill('c'), counts: Array(20).fill(200) };
    expect(wantedPages(many, 1000, 1030)).toEqual([4, 5, 6]);
  });

  it('continues through pages that a filter leaves empty', () => {
    const empty = withRead(FIRST_PAGE, read([0, page(0, 'a')], [1, page(0, 'b')]));
    expect(wantedPages(empty, 0, 0)).toEqual([0, 1, 2]);
  });

  it('ends at 50,000 rows', () => {
    const full: Pages = { cursors: Array(251).fill('c'), counts: Array(250).fill(200) };
    expect(wantedPages(full, 49_990, 49_999)).toEqual([248, 249]);
  });
});
