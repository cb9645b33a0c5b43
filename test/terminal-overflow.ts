import { cellWidth } from '../apps/cli/output/cells.js';

const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** What does not fit into terminals of these sizes: too many lines, lines that wrap, and control characters. */
export function terminalOverflows(of: {
  columns: number[];
  rows: number[];
  draw: (columns: number, rows: number) => string[];
}): object[] {
  const found: object[] = [];
  for (const columns of of.columns)
    for (const rows of of.rows) {
      const lines = of.draw(columns, rows);
      if (lines.length > rows) found.push({ columns, rows, lines });
      for (const line of lines)
        if (cellWidth(line) >= Math.max(2, columns) || CONTROLS.test(line)) found.push({ columns, rows, line });
    }
  return found;
}
