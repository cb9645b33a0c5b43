import { points, pointsRange } from '#lib/comparison/points';
import { escapeControls } from './terminal.js';

/** Lines of columns of equal width. */
export function table(cells: string[][]): string[] {
  const rows = cells.map((row) => row.map(escapeControls));
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

export const percent = (share: number | null): string => (share === null ? '-' : `${(100 * share).toFixed(1)} %`);
export const dollars = (amount: number | null): string => (amount === null ? '-' : `$${amount.toFixed(4)}`);

type Interval = readonly [low: number, high: number];

/** A difference of shares in points: "+9 points". */
export function signedPoints(share: number): string {
  const text = points(share);
  return share > 0 && text !== '0 points' ? `+${text}` : text;
}

/** A difference with its interval, where there is one: "+9 points (1 to 17)". */
export function difference(share: number | null, ci: Interval | null): string {
  if (share === null) return '-';
  return ci ? `${signedPoints(share)} (${pointsRange(ci)})` : signedPoints(share);
}

/** The beginning of a text that may be millions of characters long. */
export function beginning(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
