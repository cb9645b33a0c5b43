import { useId, useState, type KeyboardEvent } from 'react';

/** A cell of a grid; column -1 is the head of the row. */
export interface GridPlace {
  row: number;
  column: number;
}

interface Size {
  rows: number;
  columns: number;
  /** How many rows a page key moves. */
  page: number;
}

type Move = (at: GridPlace, size: Size) => GridPlace;

const MOVES: Readonly<Record<string, Move>> = {
  ArrowDown: ({ row, column }) => ({ row: row + 1, column }),
  ArrowUp: ({ row, column }) => ({ row: row - 1, column }),
  ArrowRight: ({ row, column }) => ({ row, column: column + 1 }),
  ArrowLeft: ({ row, column }) => ({ row, column: column - 1 }),
  PageDown: ({ row, column }, { page }) => ({ row: row + page, column }),
  PageUp: ({ row, column }, { page }) => ({ row: row - page, column }),
  Home: ({ row }) => ({ row, column: -1 }),
  End: ({ row }, { columns }) => ({ row, column: columns - 1 }),
};
const WITH_CTRL: Readonly<Record<string, Move>> = {
  Home: () => ({ row: 0, column: -1 }),
  End: (_at, { rows, columns }) => ({ row: rows - 1, column: columns - 1 }),
};

const between = (low: number, value: number, high: number): number => Math.max(low, Math.min(value, high));

/** Where a key leads from a cell; undefined for a key that moves nothing. */
export function movedBy(key: string, isWithCtrl: boolean, at: GridPlace, size: Size): GridPlace | undefined {
  const next = (isWithCtrl ? WITH_CTRL : MOVES)[key]?.(at, size);
  return next && { row: between(0, next.row, size.rows - 1), column: between(-1, next.column, size.columns - 1) };
}

interface Options extends Pick<Size, 'rows' | 'columns'> {
  /** How many rows a page key moves: all of them, unless it says. */
  page?: () => number;
  /** Called with the cell that a key leads to. */
  bring?: (place: GridPlace) => void;
  open: (place: GridPlace) => void;
  escape?: () => void;
}

/** Makes a grid one tab stop whose arrow keys move between its cells. Enter opens one. */
export function useGridKeys({ rows, columns, page, bring, open, escape }: Options) {
  const id = useId();
  const [place, setPlace] = useState<GridPlace>({ row: 0, column: 0 });
  const active: GridPlace = { row: Math.min(place.row, rows - 1), column: Math.min(place.column, columns - 1) };
  const idOf = ({ row, column }: GridPlace): string => `${id}-${row}-${column}`;
  const move = (next: GridPlace): void => {
    setPlace(next);
    bring?.(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, ctrlKey, metaKey, altKey, target, currentTarget } = event;
    if (altKey || target !== currentTarget) return;
    const next = movedBy(key, ctrlKey || metaKey, active, { rows, columns, page: page?.() ?? rows });
    if (next) move(next);
    else if (key === 'Enter' && !ctrlKey && !metaKey) open(active);
    else if (key === 'Escape' && escape) escape();
    else return;
    event.preventDefault();
  };
  return { active, idOf, setActive: setPlace, onKeyDown };
}
