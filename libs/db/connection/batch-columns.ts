/** A column of a batch: its type in Postgres, and its value in a row. */
type Column<Row> = readonly [type: string, value: (row: Row) => unknown];

/**
 * Columns of rows that are sent to Postgres as one array each. The statement text is then the same for any number of
 * rows, so Postgres parses it once.
 */
export class BatchColumns<Row> {
  readonly #columns: (readonly [name: string, ...Column<Row>])[];

  constructor(columns: Readonly<Record<string, Column<Row>>>) {
    this.#columns = Object.entries(columns).map(([name, column]) => [name, ...column]);
  }

  /** SQL of the column names: `run_id, target`. */
  get names(): string {
    return this.#columns.map(([name]) => name).join(', ');
  }

  /** The arrays: one parameter per column. */
  values(rows: readonly Row[]): unknown[][] {
    return this.#columns.map(([, , value]) => rows.map(value));
  }

  /**
   * SQL of the rows, as the table `u`: `unnest($2::uuid[], $3::int[]) AS u(run_id, target)`.
   * @param first number of the first parameter
   * @param ordinality name of an additional column that numbers the rows from 1
   */
  unnest(first: number, ordinality?: string): string {
    const parameters = this.#columns.map(([, type], n) => `$${first + n}::${type}[]`);
    return ordinality === undefined
      ? `unnest(${parameters.join(', ')}) AS u(${this.names})`
      : `unnest(${parameters.join(', ')}) WITH ORDINALITY AS u(${this.names}, ${ordinality})`;
  }

  /** SQL of the columns as arguments of a function: `p_run => $1::uuid[], p_target => $2::int[]`. */
  namedArguments(first: number): string {
    return this.#columns.map(([name, type], n) => `${name} => $${first + n}::${type}[]`).join(', ');
  }
}
