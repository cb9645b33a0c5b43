import { Fragment, type ComponentProps, type ReactNode } from 'react';

export interface Column<Row> {
  name: ReactNode;
  cell: (row: Row, index: number) => ReactNode;
  /** What its head shows instead of the name, such as a link that sorts by it. */
  head?: ReactNode;
  /** How the rows are sorted by it, if they are. */
  sorted?: 'ascending' | 'descending';
  /** Aligned to the right. */
  isNumber?: boolean;
  /** Its cells name their rows. */
  isHeading?: boolean;
  /** The name is for screen readers only, as for a column of buttons. */
  isNameHidden?: boolean;
  className?: string;
  /** Its place in a card, which a row of a list is on a phone: by default the first column names the card. */
  onPhone?: 'title' | 'line' | 'hidden';
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
  /** Whether its rows are cards on a phone. */
  hasCards?: boolean;
  rowProps?: (row: Row) => ComponentProps<'tr'>;
  /** Shown below a row, over all columns; nothing if false. */
  below?: (row: Row) => ReactNode;
  /** Rows of totals. */
  foot?: ReactNode;
  /** Shown below the table. */
  children?: ReactNode;
}

/** A table that scrolls sideways if it is too wide. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, keyOf, className, hasCards, rowProps, below, foot, children } = props;
  return (
    <div className="wide" tabIndex={0} role="region" aria-label={label}>
      <table className={[className, hasCards && 'cards'].filter(Boolean).join(' ') || undefined}>
        <thead>
          <tr>
            {columns.map(({ name, head, sorted, isNumber, isNameHidden }, place) => (
              <th key={place} scope="col" aria-sort={sorted} className={isNumber ? 'number' : undefined}>
                {isNameHidden ? <span className="unseen">{name}</span> : (head ?? name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <Fragment key={keyOf(row)}>
              <tr {...rowProps?.(row)}>
                {columns.map((column, place) => (
                  <Cell key={place} {...{ column, place, row, index, hasCards }} />
                ))}
              </tr>
              {below?.(row) && (
                <tr>
                  <td colSpan={columns.length} className="phone-title">
                    {below(row)}
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
        {foot}
      </table>
      {children}
    </div>
  );
}

interface CellProps<Row> extends Pick<TableProps<Row>, 'hasCards'> {
  column: Column<Row>;
  place: number;
  row: Row;
  index: number;
}

function Cell<Row>({ column, place, row, index, hasCards }: CellProps<Row>) {
  const { cell, name, isNumber, isNameHidden, isHeading, className: own, onPhone, title, cellProps } = column;
  const { className: ofCell, ...others } = cellProps?.(row) ?? {};
  const phone = onPhone ?? (place === 0 ? 'title' : 'line');
  const className =
    [isNumber && 'number', own, ofCell, hasCards && `phone-${phone}`].filter(Boolean).join(' ') || undefined;
  const isNamed = hasCards && phone === 'line' && typeof name === 'string' && !isNameHidden;
  const attributes = { className, title, 'data-label': isNamed ? name : undefined, ...others };
  const content = cell(row, index);
  return isHeading ? (
    <th scope="row" {...attributes}>
      {content}
    </th>
  ) : (
    <td {...attributes}>{content}</td>
  );
}
