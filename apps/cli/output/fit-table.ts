import { cellWidth, cutToCells, padToCells } from './cells.js';
import { escapeControls } from './terminal.js';

const LEAST_FLEXIBLE = 16;

/**
 * A table that is at most `width` wide: the cells of its flexible column are cut first, then columns are left out.
 * @param cells the first row has the names of the columns
 * @param spared the columns to leave out, in this order
 */
export function fitTable(
  cells: readonly (readonly string[])[],
  width: number,
  { flexible: flexibleName, spared }: { flexible: string; spared: readonly string[] },
): string[] {
  const rows = cells.map((row) => row.map(escapeControls));
  const names = rows[0]!;
  const widths = names.map((_, column) => Math.max(...rows.map((row) => cellWidth(row[column]!))));
  const shown = new Set(names);
  const usedWidth = (): number =>
    names.reduce((sum, name, column) => sum + (shown.has(name) && name !== flexibleName ? widths[column]! + 2 : 0), 0);
  const flexible = names.indexOf(flexibleName);
  const least = Math.min(widths[flexible]!, LEAST_FLEXIBLE);
  for (const name of spared) if (usedWidth() + least > width) shown.delete(name);
  widths[flexible] = Math.max(0, Math.min(widths[flexible]!, width - usedWidth()));
  return rows.map((row) =>
    row
      .flatMap((cell, column) =>
        shown.has(names[column]!) ? [padToCells(cutToCells(cell, widths[column]!), widths[column]!)] : [],
      )
      .join('  ')
      .trimEnd(),
  );
}
