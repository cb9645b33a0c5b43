/*
 * Cells of a terminal. A line that is wider than the terminal wraps, and could not be redrawn. East Asian characters
 * and emoji take two cells; every character that may do so is counted as two.
 */

const ELLIPSIS = '…';
/** Below Hangul; punctuation, currencies, arrows and mathematics; lines and blocks. None of them is wide. */
const NARROW = /[\u0000-\u10ff\u2010-\u22ff\u2500-\u259f]/;
const cellsOf = (character: string): number => (NARROW.test(character) ? 1 : 2);

export function cellWidth(text: string): number {
  let width = 0;
  for (const character of text) width += cellsOf(character);
  return width;
}

/** The beginning of a text that fits into this many cells. */
export function cutToCells(text: string, cells: number): string {
  if (cellWidth(text) <= cells) return text;
  let cut = '';
  let width = 0;
  for (const character of text) {
    width += cellsOf(character);
    if (width > cells - 1) break;
    cut += character;
  }
  return cells > 0 ? cut + ELLIPSIS : '';
}

export const padToCells = (text: string, cells: number): string =>
  text + ' '.repeat(Math.max(0, cells - cellWidth(text)));
