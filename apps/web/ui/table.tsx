import type { ComponentProps, ReactNode } from 'react';

export interface Column<Row> {
  name: ReactNode;
  cell: (row: Row, index: number) => ReactNode;
  /** Aligned to the right. */
  isNumber?: boolean;
  /** Its cells name their rows. */
  isHeading?: boolean;
  /** The name is for screen readers only, as for a column of buttons. */
  isNameHidden?: boolean;
  className?: string;
  /** A tooltip of each cell. */
  title?: string;
  /** Attributes of the cell of a row. */
  cellProps?: (row: Row) => ComponentProps<'td'>;
}

export interface TableProps<Row> {
  /** Unique among the tables of the page. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
  className?: string;
  rowProps?: (row: Row) => ComponentProps<'tr'>;
  /** Rows of totals. */
  foot?: ReactNode;
  /** Shown below the table. */
  children?: ReactNode;
}

/** A table that scrolls sideways if it is too wide. */
export function Table<Row>({ label, columns, rows, keyOf, className, rowProps, foot, children }: TableProps<Row>) {
  return (
    <div className="wide" tabIndex={0} role="region" aria-label={label}>
      <table className={className}>
        <thead>
          <tr>
            {columns.map(({ name, isNumber, isNameHidden }, place) => (
              <th key={place} scope="col" className={isNumber ? 'number' : undefined}>
                {isNameHidden ? <span className="unseen">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row)} {...rowProps?.(row)}>
              {columns.map(({ cell, isNumber, isHeading, className: own, title, cellProps }, place) => {
                const { className: ofCell, ...others } = cellProps?.(row) ?? {};
                const className = [isNumber && 'number', own, ofCell].filter(Boolean).join(' ') || undefined;
                const attributes = { className, title, ...others };
                const content = cell(row, index);
                return isHeading ? (
                  <th key={place} scope="row" {...attributes}>
                    {content}
                  </th>
                ) : (
                  <td key={place} {...attributes}>
                    {content}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
        {foot}
      </table>
      {children}
    </div>
  );
}
