import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useRef, useState, type MouseEvent, type ReactNode, type RefObject } from 'react';
import { CellMark, CellShare, cellWords, shareWords, type CellCounts } from './cells';
import { useGridKeys, type GridPlace } from './grid-keys';
import css from './heat-grid.module.css';
import { MarkCard } from './picture';

const CELL = 24;
const SPARE = 2;

/** A row of a heat map. */
export interface HeatRow {
  /** What a screen reader calls it. */
  words: string;
  head: ReactNode;
  /** One for each column. */
  cells: readonly CellCounts[];
  /** Whether it sums up other rows: its cells are shares. */
  isSum?: boolean;
}

interface Props<Row> {
  /** Unique among the grids of the page. */
  label: string;
  corner: ReactNode;
  columns: readonly { key: string; words: string; head: ReactNode }[];
  /** The height of the heads of the columns, and the width of those of the rows where there is room. */
  headHeight: number;
  headWidth: number;
  count: number;
  /** Undefined for a row that is not loaded, which is shown as a grey line. The same row is the same object. */
  rowAt: (index: number) => Row | undefined;
  /** The same function as long as it reads rows in the same way. */
  read: (row: Row) => HeatRow;
  open: (place: GridPlace) => void;
  /** What is known of a cell under the pointer or with the focus. */
  card: (place: GridPlace) => ReactNode;
  /** What a screen reader says of a cell that keys led to, after its words. */
  said: (place: GridPlace) => ReactNode;
  /** Called with the range of rendered rows. */
  onWindow: (first: number, last: number) => void;
}

/** The cell whose card is shown. */
interface Shown {
  place: GridPlace;
  /** As shares of the grid's width and height. */
  at: readonly [x: number, y: number];
  isByKeys: boolean;
}

/** A heat map of any number of rows and columns, which draws only the cells in view. It has one tab stop. */
export function HeatGrid<Row>(props: Props<Row>) {
  const { label, columns, headHeight, headWidth, count, rowAt, open, card, said, onWindow } = props;
  const grid = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLDivElement>(null);
  const { rows, across } = useDrawn(grid, props);
  useReport(onWindow, rows[0] ?? 0, rows.at(-1) ?? 0);
  const { shown, show, showOnly, hide } = useShown(grid, head);
  const { active, idOf, setActive, onKeyDown } = useGridKeys({
    rows: count,
    columns: columns.length,
    page: () => Math.max(1, Math.floor((grid.current!.clientHeight - headHeight) / CELL) - 1),
    bring: (place) => {
      bringIntoView(grid.current!, head.current!, place);
      show(place, true);
    },
    open,
    escape: hide,
  });
  const isLoaded = shown !== undefined && rowAt(shown.place.row) !== undefined;
  const isActiveDrawn = rows.includes(active.row) && (active.column === -1 || isWithin(active.column, across));
  return (
    <div className={css.plot} onPointerLeave={hide}>
      {/* The grid has the focus and the keys; its active cell is the descendant that it names. */}
      <div
        ref={grid}
        className={css.grid}
        style={{ ['--name' as string]: `min(${headWidth}px, 40vw)` }}
        role="grid"
        aria-label={label}
        aria-rowcount={count + 1}
        aria-colcount={columns.length + 1}
        aria-activedescendant={isActiveDrawn ? idOf(active) : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onFocus={() => grid.current!.matches(':focus-visible') && show(active, true)}
        onBlur={hide}
        onPointerMove={(event) => showOnly(placeOf(event))}
        onScroll={() => shown && !shown.isByKeys && hide()}
        onClick={(event) => {
          const place = placeOf(event);
          if (!place) return;
          setActive(place);
          open(place);
        }}
      >
        <Heads {...props} across={across} headRef={head} />
        <Lines {...props} {...{ rows, across, idOf, active }} />
      </div>
      {isLoaded && <MarkCard at={shown.at}>{card(shown.place)}</MarkCard>}
      <p role="status" className="unseen">
        {isLoaded && shown.isByKeys && said(shown.place)}
      </p>
    </div>
  );
}

/** The first and the last of the columns that are drawn. */
type Span = readonly [first: number, last: number];
const isWithin = (column: number, [first, last]: Span): boolean => column >= first && column <= last;

/** The rows and columns in view, and some around them. */
function useDrawn<Row>(grid: RefObject<HTMLDivElement | null>, { columns, count, headHeight }: Props<Row>) {
  const shared = { getScrollElement: () => grid.current, estimateSize: () => CELL, useFlushSync: false };
  const rows = useVirtualizer({ ...shared, count, overscan: SPARE, scrollMargin: headHeight });
  const tracks = useVirtualizer({ ...shared, count: columns.length, overscan: SPARE, horizontal: true });
  const drawn = tracks.getVirtualItems();
  return {
    rows: rows.getVirtualItems().map(({ index }) => index),
    across: [drawn[0]?.index ?? 0, drawn.at(-1)?.index ?? -1] as Span,
  };
}

function useShown(grid: RefObject<HTMLDivElement | null>, head: RefObject<HTMLDivElement | null>) {
  const [shown, setShown] = useState<Shown>();
  const show = (place: GridPlace, isByKeys: boolean): void =>
    setShown({ place, at: shareOf(grid.current!, head.current!, place), isByKeys });
  const hide = (): void => setShown(undefined);
  /** Of a place under the pointer, if there is one. */
  const showOnly = (place: GridPlace | undefined): void => {
    if (!place) hide();
    else if (!isSame(shown?.place, place)) show(place, false);
  };
  return { shown, show, showOnly, hide };
}

interface HeadsProps extends Pick<Props<unknown>, 'corner' | 'columns' | 'headHeight'> {
  across: Span;
  headRef: RefObject<HTMLDivElement | null>;
}

const Heads = ({ corner, columns, headHeight, across: [first, last], headRef }: HeadsProps) => (
  <div role="rowgroup" className={css.heads} style={{ height: headHeight }}>
    <div role="row" aria-rowindex={1} className={css.line}>
      <div ref={headRef} role="columnheader" aria-colindex={1} className={css.corner}>
        {corner}
      </div>
      <div className={css.gap} style={{ width: first * CELL }} />
      {columns.slice(first, last + 1).map(({ key, words, head }, n) => (
        <div key={key} role="columnheader" aria-colindex={first + n + 2} aria-label={words} className={css.column}>
          {head}
        </div>
      ))}
    </div>
  </div>
);

interface LinesProps<Row> extends Pick<Props<Row>, 'columns' | 'count' | 'rowAt' | 'read'> {
  rows: readonly number[];
  across: Span;
  idOf: (place: GridPlace) => string;
  active: GridPlace;
}

const Lines = <Row,>({ columns, count, rowAt, read, rows, across: [first, last], idOf, active }: LinesProps<Row>) => (
  <div role="rowgroup" className={css.body} style={{ height: count * CELL, ['--columns' as string]: columns.length }}>
    {rows.map((index) => (
      <Line
        key={index}
        {...{ index, first, last, columns }}
        row={rowAt(index)}
        read={read as (row: unknown) => HeatRow}
        active={active.row === index ? active.column : undefined}
        activeId={active.row === index ? idOf(active) : undefined}
      />
    ))}
  </div>
);

interface LineProps extends Pick<Props<unknown>, 'columns' | 'read'> {
  index: number;
  row: unknown;
  first: number;
  last: number;
  active: number | undefined;
  activeId: string | undefined;
}

const Line = memo(
  function Line({ index, row: source, read, first, last, columns, active, activeId }: LineProps) {
    const row = source === undefined ? undefined : read(source);
    return (
      <div
        role="row"
        aria-rowindex={index + 2}
        className={row?.isSum ? `${css.line} ${css.sum}` : css.line}
        style={{ top: index * CELL }}
      >
        <div
          role="rowheader"
          aria-colindex={1}
          {...(active === -1 && { id: activeId, 'data-active': true })}
          className={css.name}
        >
          {row ? row.head : <span className={css.waits} />}
        </div>
        <div className={css.gap} style={{ width: first * CELL }} />
        {row?.cells.slice(first, last + 1).map((cell, n) => (
          <div
            key={first + n}
            role="gridcell"
            // Cells are many, and each attribute takes time: they follow one another unless some are left out.
            aria-colindex={first > 0 ? first + n + 2 : undefined}
            aria-label={`${(row.isSum ? shareWords : cellWords)(cell)}: ${row.words}, ${columns[first + n]?.words}`}
            {...(active === first + n && { id: activeId, 'data-active': true })}
            className={css.cell}
          >
            {row.isSum ? <CellShare {...cell} /> : <CellMark {...cell} />}
          </div>
        ))}
      </div>
    );
  },
  (one, other) =>
    one.row === other.row &&
    one.read === other.read &&
    one.index === other.index &&
    one.first === other.first &&
    one.last === other.last &&
    one.columns === other.columns &&
    one.active === other.active,
);

/** The cell at a pointer; undefined over the heads of columns and outside the cells. */
function placeOf({ clientX, clientY, currentTarget: grid }: MouseEvent<HTMLElement>): GridPlace | undefined {
  const body = grid.lastElementChild!.getBoundingClientRect();
  const head = grid.querySelector('[role=columnheader]')!.getBoundingClientRect();
  if (clientY < head.bottom || clientX > body.right || clientY > body.bottom) return undefined;
  const column = clientX < head.right ? -1 : Math.floor((clientX - body.left - head.width) / CELL);
  return { row: Math.floor((clientY - body.top) / CELL), column };
}

const isSame = (one: GridPlace | undefined, other: GridPlace | undefined): boolean =>
  one?.row === other?.row && one?.column === other?.column;

/** The middle of a cell in the visible part of the grid, as shares of its width and height. */
function shareOf(grid: HTMLElement, head: HTMLElement, { row, column }: GridPlace): readonly [number, number] {
  const x = column < 0 ? head.offsetWidth / 2 : head.offsetWidth + (column + 0.5) * CELL - grid.scrollLeft;
  const y = head.offsetHeight + (row + 0.5) * CELL - grid.scrollTop;
  return [x / grid.offsetWidth, y / grid.offsetHeight];
}

/** Scrolls by the minimum needed to show a cell between the heads and the edges. */
function bringIntoView(grid: HTMLElement, head: HTMLElement, { row, column }: GridPlace): void {
  const [width, height] = [grid.clientWidth - head.offsetWidth, grid.clientHeight - head.offsetHeight];
  grid.scrollTop = Math.min(Math.max(grid.scrollTop, (row + 1) * CELL - height), row * CELL);
  if (column >= 0) grid.scrollLeft = Math.min(Math.max(grid.scrollLeft, (column + 1) * CELL - width), column * CELL);
}

function useReport(onWindow: (first: number, last: number) => void, first: number, last: number): void {
  const report = useRef(onWindow);
  useEffect(() => {
    report.current = onWindow;
  });
  useEffect(() => report.current(first, last), [first, last]);
}
