import { useRef, useState, type KeyboardEvent, type ReactNode, type RefCallback } from 'react';
import { LazyDetails } from '../details';
import { Table, type Column } from '../table';
import css from './picture.module.css';

/** The first cell of a row names it. */
export interface NumberRow {
  key: string;
  cells: readonly ReactNode[];
}

interface PictureProps {
  /** Names the picture, and its table; unique on the page. */
  label: string;
  /** What it shows, in one sentence. */
  says?: ReactNode;
  /** How to read it: a `Note`. */
  read?: ReactNode;
  numbers?: { head: readonly string[]; rows: () => readonly NumberRow[] };
  children: ReactNode;
}

/** A picture with what it shows in a sentence, and its numbers as a table behind a disclosure. */
export const Picture = ({ label, says, read, numbers, children }: PictureProps) => (
  <figure className={css.picture} aria-label={label}>
    {children}
    {(says !== undefined || read !== undefined) && (
      <figcaption className="muted">
        {says} {read}
      </figcaption>
    )}
    {numbers && (
      <LazyDetails className="numbers" summary="The numbers">
        {() => (
          <Table
            label={`${label}, in numbers`}
            rows={numbers.rows()}
            keyOf={({ key }) => key}
            columns={numbers.head.map((name, place): Column<NumberRow> => ({
              name,
              isHeading: place === 0,
              cell: ({ cells }) => cells[place],
            }))}
          />
        )}
      </LazyDetails>
    )}
  </figure>
);

interface MarksOptions {
  count: number;
  /** Opens what is behind a mark. */
  open?: (index: number) => void;
  /** Where an arrow key leads from a mark; by default to the next or the previous one. */
  move?: (index: number, key: string) => number | undefined;
}

interface MarkProps {
  ref: RefCallback<HTMLElement | SVGElement>;
  tabIndex: 0 | -1;
  role: 'link' | 'img';
  'aria-label': string;
  onFocus: () => void;
  onBlur: () => void;
  onPointerEnter: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
  onClick: (() => void) | undefined;
}

interface Marks {
  /** The mark under the pointer or with the focus: the one to show a card of. */
  shown: number | undefined;
  /** @param words what a screen reader says of the mark */
  propsOf: (index: number, words: string) => MarkProps;
  /** For the element around the marks and the card. */
  plotProps: { onPointerLeave: () => void };
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** Makes the marks of a picture one tab stop, with arrow keys between them. Enter opens one, Escape closes its card. */
export function useMarks({ count, open, move }: MarksOptions): Marks {
  const [active, setActive] = useState(0);
  const [shown, setShown] = useState<number>();
  const elements = useRef(new Map<number, HTMLElement | SVGElement>());
  const last = count - 1;
  const ways: Readonly<Record<string, number>> = { Home: 0, End: last };
  const wayOf = (index: number, key: string): number | undefined =>
    ways[key] ?? (STEPS[key] === undefined ? undefined : move ? move(index, key) : index + STEPS[key]);
  const press = (index: number, event: KeyboardEvent): void => {
    const { key } = event;
    if (key === 'Escape' && shown !== undefined) setShown(undefined);
    else if ((key === 'Enter' || key === ' ') && open) open(index);
    else {
      const next = wayOf(index, key);
      if (next === undefined) return;
      elements.current.get(Math.max(0, Math.min(next, last)))?.focus();
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return {
    shown: shown !== undefined && shown <= last ? shown : undefined,
    plotProps: { onPointerLeave: () => setShown(undefined) },
    propsOf: (index, words) => ({
      ref: (element) => {
        if (element) elements.current.set(index, element);
        return () => void elements.current.delete(index);
      },
      tabIndex: index === Math.min(active, last) ? 0 : -1,
      role: open ? 'link' : 'img',
      'aria-label': words,
      onFocus: () => {
        setActive(index);
        setShown(index);
      },
      onBlur: () => setShown(undefined),
      onPointerEnter: () => setShown(index),
      onKeyDown: (event) => press(index, event),
      onClick: open && (() => open(index)),
    }),
  };
}

interface CardProps {
  /** Where the mark is, as shares of the plot's width and height. */
  at: readonly [x: number, y: number];
  children: ReactNode;
}

/** What is known of the mark under the pointer or with the focus, next to it. Screen readers hear the mark's words. */
export const MarkCard = ({ at: [x, y], children }: CardProps) => (
  <div
    aria-hidden="true"
    className={css.card}
    style={{
      ...(x > 0.5 ? { right: `${(1 - x) * 100}%` } : { left: `${x * 100}%` }),
      ...(y > 0.5 ? { bottom: `${(1 - y) * 100}%` } : { top: `${y * 100}%` }),
    }}
  >
    {children}
  </div>
);

/** The element around a picture's marks, within which a card is placed. */
export const Plot = ({ of, children }: { of: Pick<Marks, 'plotProps'>; children: ReactNode }) => (
  <div className={css.plot} {...of.plotProps}>
    {children}
  </div>
);
