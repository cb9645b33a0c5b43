import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import css from './data-rows.module.css';

const ROW = 32;
const SPARE_ROWS = 10;

export interface Column<Row> {
  name: string;
  /** The width, as a track of a CSS grid. */
  track: string;
  isNumber?: boolean;
  /** The name is for screen readers only. */
  isNameHidden?: boolean;
  cell: (row: Row) => ReactNode;
}

interface DataRowsProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  /** The number of rows known so far. */
  count: number;
  /** Whether there may be more rows than `count`. */
  isMore: boolean;
  /** A row that is not loaded is shown as a grey line. */
  rowAt: (index: number) => Row | undefined;
  active: number;
  /** The row that is open next to the list. */
  opened?: number;
  activate: (index: number) => void;
  open: (row: Row) => void;
  /** Called with the range of rendered rows. */
  onWindow: (first: number, last: number) => void;
  gridRef: RefObject<HTMLDivElement | null>;
}

const STEPS: Record<string, (active: number, page: number, last: number) => number> = {
  ArrowDown: (active) => active + 1,
  j: (active) => active + 1,
  ArrowUp: (active) => active - 1,
  k: (active) => active - 1,
  PageDown: (active, page) => active + page,
  PageUp: (active, page) => active - page,
  Home: () => 0,
  End: (_active, _page, last) => last,
};

const tracksOf = (columns: readonly { track: string }[]): string => columns.map(({ track }) => track).join(' ');
const clamped = (index: number, count: number): number => Math.max(0, Math.min(count - 1, index));
/** How many rows a page key moves. */
const pageOf = (grid: HTMLElement | null): number => Math.max(1, Math.floor((grid?.clientHeight ?? 0) / ROW) - 2);

/** A list of any length that draws only the rows in view. It has one tab stop; keys move within it. */
export function DataRows<Row>(props: DataRowsProps<Row>) {
  const { label, columns, count, isMore, rowAt, active, opened, activate, open, onWindow, gridRef } = props;
  const id = useId();
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => gridRef.current,
    estimateSize: () => ROW,
    overscan: SPARE_ROWS,
    scrollMargin: ROW,
    useFlushSync: false,
  });
  const drawn = virtual.getVirtualItems();
  useReport(onWindow, drawn[0]?.index ?? 0, drawn.at(-1)?.index ?? 0);
  useActiveInView(virtual, gridRef, active, opened);
  const choose = (index: number): void => {
    activate(index);
    const row = rowAt(index);
    if (row) open(row);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const next = STEPS[event.key]?.(active, pageOf(gridRef.current), count - 1);
    if (next !== undefined) activate(clamped(next, count));
    else if (event.key === 'Enter') choose(active);
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={gridRef}
      className={css.rows}
      role="grid"
      aria-label={label}
      aria-rowcount={isMore ? -1 : count + 1}
      aria-colcount={columns.length}
      aria-activedescendant={drawn.some(({ index }) => index === active) ? `${id}-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <Head columns={columns} />
      <div role="rowgroup" className={css.rowsBody} style={{ height: virtual.getTotalSize() }}>
        {drawn.map(({ index, start }) => (
          // The grid has the focus and the keys; its active row is the descendant that it names.
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={index}
            id={`${id}-${index}`}
            role="row"
            aria-rowindex={index + 2}
            aria-selected={index === opened}
            data-active={index === active || undefined}
            className={css.row}
            style={{ gridTemplateColumns: tracksOf(columns), transform: `translateY(${start - ROW}px)` }}
            onClick={() => choose(index)}
          >
            <Cells columns={columns} row={rowAt(index)} />
          </div>
        ))}
      </div>
    </div>
  );
}

function Head<Row>({ columns }: Pick<DataRowsProps<Row>, 'columns'>) {
  return (
    <div role="rowgroup" className={css.rowsHead}>
      <div role="row" aria-rowindex={1} className={css.row} style={{ gridTemplateColumns: tracksOf(columns) }}>
        {columns.map(({ name, isNumber, isNameHidden }) => (
          <div role="columnheader" key={name} className={isNumber ? 'number' : undefined} title={name}>
            {isNameHidden ? <span className="unseen">{name}</span> : name}
          </div>
        ))}
      </div>
    </div>
  );
}

function Cells<Row>({ columns, row }: Pick<DataRowsProps<Row>, 'columns'> & { row: Row | undefined }) {
  return columns.map(({ name, isNumber, cell }) => (
    <div role="gridcell" key={name} className={isNumber ? 'number' : undefined}>
      {row ? cell(row) : <span className={css.rowWaits} />}
    </div>
  ));
}

/** Where a result replaces the list, the list has lost its scroll position when it returns. */
function useActiveInView(
  virtual: Virtualizer<HTMLDivElement, Element>,
  gridRef: RefObject<HTMLDivElement | null>,
  active: number,
  opened: number | undefined,
): void {
  useEffect(() => {
    const grid = gridRef.current;
    bringIntoView(grid, active);
    // A list that was hidden while scrolling is assumed to be at its start, which is wrong.
    if (grid && virtual.scrollOffset !== grid.scrollTop) grid.dispatchEvent(new Event('scroll'));
  }, [virtual, gridRef, active, opened]);
}

/** Scrolls by the minimum needed, from the list's current position: a list that was hidden is at its start. */
function bringIntoView(grid: HTMLElement | null, index: number): void {
  if (!grid) return;
  const lowest = (index + 2) * ROW - grid.clientHeight;
  grid.scrollTop = Math.min(Math.max(grid.scrollTop, lowest), index * ROW);
}

function useReport(onWindow: (first: number, last: number) => void, first: number, last: number): void {
  const report = useRef(onWindow);
  useEffect(() => {
    report.current = onWindow;
  });
  useEffect(() => report.current(first, last), [first, last]);
}
