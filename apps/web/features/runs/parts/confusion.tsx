import type { ReactNode } from 'react';
import type { Confusion } from '#lib/contracts/run-facets';
import { count, percent } from '../../../ui/amounts';
import { Table, type Column } from '../../../ui/table';
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

interface Row extends Axis {
  ns: readonly number[];
  all: number;
}

/** Which tools were called where others were expected: right ones blue, errors orange, by their share of the row. */
export function ConfusionTable({ confusion, link }: ConfusionProps) {
  const rows = axisOf(confusion.expected, confusion.other_expected).map((axis, index): Row => {
    const ns = confusion.cells[index] ?? [];
    return { ...axis, ns, all: ns.reduce((sum, n) => sum + n, 0) };
  });
  return (
    <Table
      label="Called tools by expected tool"
      className={css.confusion}
      rows={rows}
      keyOf={({ tool }) => tool ?? ' others'}
      columns={[
        { name: 'Expected', isHeading: true, className: 'named', cell: ({ words }) => <Name words={words} /> },
        ...axisOf(confusion.called, confusion.other_called).map((column, index) => columnOf(column, index, link)),
      ]}
    />
  );
}

const Name = ({ words, className }: { words: string; className?: string }) => (
  <div className={className} title={visible(words.slice(0, 300))}>
    <UserLine text={words} />
  </div>
);

/** Whether a row expects the column's tool: its own tool, or one of those that its cases accept as alternatives. */
const isExpected = (row: string | undefined, column: string | undefined): boolean =>
  row !== undefined && column !== undefined && (row === column || row.split(' or ').includes(column));

function columnOf(column: Axis, index: number, link: ConfusionProps['link']): Column<Row> {
  const cellOf = (row: Row) => {
    const n = row.ns[index] ?? 0;
    const share = `${count(n)} of ${count(row.all)} (${percent(n / row.all)})`;
    const label = visible(`${share}: expected ${row.words}, called ${column.words}`.slice(0, 300));
    return { n, label, isRight: isExpected(row.tool, column.tool) };
  };
  return {
    name: <Name words={column.words} className={css.upright} />,
    isNumber: true,
    cellProps: (row) => {
      const { n, label: title, isRight } = cellOf(row);
      if (n === 0) return {};
      return { title, style: tintOf(n / row.all, isRight) };
    },
    cell: (row) => {
      const { n, label, isRight } = cellOf(row);
      if (n === 0) return <span className="muted">{isRight ? '0' : ''}</span>;
      if (row.tool === undefined || column.tool === undefined) return count(n);
      return link({ expected: row.tool, called: column.tool }, label, count(n));
    },
  };
}

const MIN_TINT_PERCENT = 10;
/** Limits the tint of the strongest cell, so that its number stays readable in light and in dark. */
const MAX_TINT_PERCENT = { right: 40, wrong: 48 };
const tintOf = (share: number, isRight: boolean) => {
  const most = MAX_TINT_PERCENT[isRight ? 'right' : 'wrong'];
  const strength = (MIN_TINT_PERCENT + share * (most - MIN_TINT_PERCENT)).toFixed(1);
  const colour = isRight ? '--passed' : '--failed';
  return { background: `color-mix(in srgb, var(${colour}) ${strength}%, var(--surface))` };
};
