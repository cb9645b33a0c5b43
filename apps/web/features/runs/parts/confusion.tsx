import { useRef, type ReactNode } from 'react';
import type { Confusion } from '#lib/contracts/run-facets';
import { count, percent } from '../../../ui/amounts';
import { useGridKeys, type GridPlace } from '../../../ui/figures/grid-keys';
import { UserLine, UserText, visible } from '../../../ui/user-text';
import css from './confusion.module.css';
import { confusionView, type ConfusionAxis, type ConfusionView } from './confusion-view';
import { toolWords } from './tool-words';

interface ConfusionProps {
  confusion: Confusion;
  /** Links a number to the results behind it; the arrow keys of the grid lead to it. */
  link: (cell: { expected: string; called: string }, label: string, n: ReactNode) => ReactNode;
}

/** Which tools were called where others were expected: right ones blue, errors orange, by their share of the row. */
export function ConfusionTable({ confusion, link }: ConfusionProps) {
  const view = confusionView(confusion);
  const { rows, columns, cells } = view;
  const table = useRef<HTMLTableElement>(null);
  const cellAt = ({ row, column }: GridPlace): HTMLElement | null | undefined =>
    table.current?.querySelector(`tbody tr:nth-child(${row + 1}) > :nth-child(${column + 2})`);
  const { active, idOf, onKeyDown } = useGridKeys({
    rows: rows.length,
    columns: columns.length,
    bring: (place) => cellAt(place)?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    open: (place) => cellAt(place)?.querySelector('a')?.click(),
  });
  const activeId = (row: number, column: number) =>
    active.row === row && active.column === column ? { id: idOf(active), 'data-active': true } : {};
  return (
    <>
      <p>
        <Worst of={view.worst} />
      </p>
      <div className="wide" role="region" aria-label="Called tools by expected tool">
        <table
          ref={table}
          className={css.confusion}
          role="grid"
          aria-label="Results by expected and called tool"
          aria-activedescendant={idOf(active)}
          tabIndex={0}
          onKeyDown={onKeyDown}
        >
          <thead>
            <tr>
              <th scope="col">
                <span className="muted">expected ↓ called →</span>
              </th>
              {columns.map((column, at) => (
                <th key={at} scope="col" className={column.isApart ? css.apart : undefined}>
                  <Name words={column.words} className={css.upright} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <tr key={at} className={row.isApart ? css.apartRow : undefined}>
                <th scope="row" {...activeId(at, -1)}>
                  <Name words={row.words} />
                </th>
                {columns.map((column, nth) => (
                  <Cell key={nth} {...{ row, column, link }} of={cells[at]![nth]!} place={activeId(at, nth)} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Worst({ of }: { of: ConfusionView['worst'] }) {
  if (!of) return 'Every call was to an expected tool.';
  return (
    <>
      Most often wrong: <UserText text={toolWords(of.expected)} max={100} /> →{' '}
      <UserText text={toolWords(of.called)} max={100} />, {count(of.n)} of {count(of.all)}.
    </>
  );
}

const Name = ({ words, className }: { words: string; className?: string }) => (
  <div className={className} title={visible(words.slice(0, 300))}>
    <UserLine text={words} />
  </div>
);

interface CellProps extends Pick<ConfusionProps, 'link'> {
  row: ConfusionAxis;
  column: ConfusionAxis;
  of: ConfusionView['cells'][number][number];
  /** Of the cell that keys are at. */
  place: object;
}

function Cell({ row, column, of: { n, all, isRight }, place, link }: CellProps) {
  const apart = column.isApart ? css.apart : undefined;
  if (n === 0)
    return <td className={[apart, isRight && css.right].filter(Boolean).join(' ') || undefined} {...place} />;
  const words = `${count(n)} of ${count(all)} (${percent(n / all)}): expected ${row.words}, called ${column.words}`;
  const label = visible(words.slice(0, 300));
  const { strength, isDark } = tintOf(n, n / all, isRight);
  const colour = `var(--${isRight ? 'passed' : 'failed'})`;
  return (
    <td
      className={[apart, isDark && css.dark].filter(Boolean).join(' ') || undefined}
      title={label}
      style={{ background: `color-mix(in srgb, ${colour} ${strength}%, var(--surface))` }}
      {...place}
    >
      {row.tool === undefined || column.tool === undefined
        ? count(n)
        : link({ expected: row.tool, called: column.tool }, label, count(n))}
    </td>
  );
}

/** Steps between which a number would be readable neither in the dark nor in the light colour. */
const STEPS: readonly (readonly [upTo: number, strength: number])[] = [
  [0.1, 12],
  [0.25, 22],
  [0.5, 45],
  [0.75, 80],
  [1, 100],
];
const LEAST_RIGHT = 34;
const MOST_OF_ONE = 22;
const DARK_FROM = 80;

/** How strong a cell is for its share of the row: what is right is never fainter than one error. */
function tintOf(n: number, share: number, isRight: boolean): { strength: number; isDark: boolean } {
  const step = STEPS.find(([upTo]) => share <= upTo)?.[1] ?? 100;
  const strength = isRight ? Math.max(LEAST_RIGHT, step) : n === 1 ? Math.min(MOST_OF_ONE, step) : step;
  return { strength, isDark: strength >= DARK_FROM };
}
