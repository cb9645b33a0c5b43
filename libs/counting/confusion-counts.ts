import { MAX_CONFUSED, type Confusion } from '#lib/contracts/run-facets';

/** Label for expected tools that have no row of their own. */
const OTHER = '';

/**
 * Confusion matrix per model: which tools were called where others were expected. Only expected tools in `rows` are
 * counted separately. A case that accepts several tools counts in the row of each.
 */
export class ConfusionCounts {
  readonly #cells = new Map<string, Map<string, Int32Array>>();
  readonly #rows: ReadonlySet<string>;

  /** @param others number of expected tools that are not in `rows` */
  constructor(
    readonly targets: number,
    readonly rows: readonly string[],
    readonly others: number,
  ) {
    this.#rows = new Set(rows);
  }

  add(expected: readonly string[], called: readonly string[], target: number, n: number): void {
    const rows = new Set(expected.map((label) => (this.#rows.has(label) ? label : OTHER)));
    for (const row of rows) for (const column of called) this.#cell(row, column)[target]! += n;
  }

  #cell(row: string, column: string): Int32Array {
    let cells = this.#cells.get(row);
    if (!cells) this.#cells.set(row, (cells = new Map()));
    let cell = cells.get(column);
    if (!cell) cells.set(column, (cell = new Int32Array(this.targets)));
    return cell;
  }

  /** The matrix of one model, or of all models. Rows and columns are the same for every model. */
  matrix(target?: number): Confusion {
    const columns = this.#columns();
    const shown = columns.slice(0, MAX_CONFUSED);
    const column = new Map(shown.map((name, index) => [name, index]));
    const cells = [...this.rows, OTHER].map((row) => {
      const line = new Array<number>(shown.length + 1).fill(0);
      for (const [name, counts] of this.#cells.get(row) ?? [])
        line[column.get(name) ?? shown.length]! += target === undefined ? sum(counts) : counts[target]!;
      return line;
    });
    return {
      expected: [...this.rows],
      called: shown,
      cells,
      other_expected: this.others,
      other_called: columns.length - shown.length,
    };
  }

  /** The called tools, most frequent first. */
  #columns(): string[] {
    const totals = new Map<string, number>();
    for (const cells of this.#cells.values())
      for (const [name, counts] of cells) totals.set(name, (totals.get(name) ?? 0) + sum(counts));
    return [...totals].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([name]) => name);
  }
}

const sum = (counts: Int32Array): number => counts.reduce((total, n) => total + n, 0);
