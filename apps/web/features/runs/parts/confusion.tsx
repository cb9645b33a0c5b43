import type { ReactNode } from 'react';
import type { Confusion } from '#lib/contracts/run-facets';
import { count, percent } from '../../../ui/score';
import { UserLine, visible } from '../../../ui/user-text';
import css from './figures.module.css';
import { toolWords } from './tool-words';

interface ConfusionProps {
  confusion: Confusion;
  /** Links a number to the results behind it. */
  link: (cell: { expected: string; called: string }, label: string, n: ReactNode) => ReactNode;
}

interface Axis {
  /** Undefined for the last row or column, which groups all other tools. */
  tool: string | undefined;
  words: string;
}

const axisOf = (tools: readonly string[], others: number): Axis[] => [
  ...tools.map((tool) => ({ tool, words: toolWords(tool) })),
  ...(others > 0 ? [{ tool: undefined, words: `${count(others)} ${others === 1 ? 'other' : 'others'}` }] : []),
];

/** Which tools were called where others were expected. Correct cells are faint. */
export function ConfusionTable({ confusion, link }: ConfusionProps) {
  const rows = axisOf(confusion.expected, confusion.other_expected);
  const columns = axisOf(confusion.called, confusion.other_called);
  return (
    <div className="wide" tabIndex={0} role="region" aria-label="Called tools by expected tool">
      <table className={css.confusion}>
        <thead>
          <tr>
            <th>Expected</th>
            {columns.map(({ tool, words }) => (
              <th key={tool ?? ' others'} scope="col" title={visible(words.slice(0, 300))}>
                <span className={css.upright}>
                  <UserLine text={words} />
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <Row
              key={row.tool ?? ' others'}
              row={row}
              columns={columns}
              ns={confusion.cells[index] ?? []}
              link={link}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Whether a row expects the column's tool: its own tool, or one of those that its cases accept as alternatives. */
const isExpected = (row: string | undefined, column: string | undefined): boolean =>
  row !== undefined && column !== undefined && (row === column || row.split(' or ').includes(column));

interface RowProps {
  row: Axis;
  columns: Axis[];
  ns: readonly number[];
  link: ConfusionProps['link'];
}

function Row({ row, columns, ns, link }: RowProps) {
  const all = ns.reduce((sum, n) => sum + n, 0);
  return (
    <tr>
      <th scope="row" className="named" title={visible(row.words.slice(0, 300))}>
        <UserLine text={row.words} />
      </th>
      {columns.map((column, index) => {
        const n = ns[index] ?? 0;
        const isRight = isExpected(row.tool, column.tool);
        if (n === 0)
          return (
            <td key={column.tool ?? ' others'} className="number">
              <span className="muted">{isRight ? '0' : ''}</span>
            </td>
          );
        const share = `${count(n)} of ${count(all)} (${percent(n / all)})`;
        const label = visible(`${share}: expected ${row.words}, called ${column.words}`.slice(0, 300));
        return (
          <td
            key={column.tool ?? ' others'}
            className={isRight ? `number ${css.right}` : 'number'}
            style={isRight ? undefined : tintOf(n / all)}
            title={label}
          >
            {row.tool === undefined || column.tool === undefined
              ? count(n)
              : link({ expected: row.tool, called: column.tool }, label, count(n))}
          </td>
        );
      })}
    </tr>
  );
}

/** Limits the tint of the strongest cell, so that its number stays readable. */
const MAX_TINT_PERCENT = 36;
const tintOf = (share: number) => {
  const strength = (4 + share * (MAX_TINT_PERCENT - 4)).toFixed(1);
  return { background: `color-mix(in srgb, var(--failed) ${strength}%, var(--surface))` };
};
