import type { ReactNode } from 'react';
import { Table, type Column } from '../table';

/** The first cell names the row. */
interface Row {
  key: string;
  cells: readonly ReactNode[];
}

interface Numbers {
  /** What the numbers measure; unique among the tables of the page. */
  label: string;
  head: readonly string[];
  rows: readonly Row[];
  /** Shown below the table. */
  children?: ReactNode;
}

/** A figure's numbers as a table, behind a disclosure. */
export const Numbers = ({ label, head, rows, children }: Numbers) => (
  <details className="numbers">
    <summary>The numbers</summary>
    <Table
      label={label}
      rows={rows}
      keyOf={({ key }) => key}
      columns={head.map((name, place): Column<Row> => ({
        name,
        isHeading: place === 0,
        cell: ({ cells }) => cells[place],
      }))}
    />
    {children}
  </details>
);
