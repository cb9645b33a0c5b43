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
