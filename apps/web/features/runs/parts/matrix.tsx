import type { ReactNode } from 'react';
import type { RunCase } from '#lib/contracts/run-facets';
import { count } from '../../../ui/amounts';
import { Table, type Column } from '../../../ui/table';
import { UserLine, UserText } from '../../../ui/user-text';
import { VerdictMark, type VerdictWord } from '../../results/parts/verdict';
import css from './figures.module.css';

type Cell = RunCase['cells'][number];

/** All samples passed, some, none, or none has a score. */
export function cellVerdict({ scored, passed, mean }: Cell): VerdictWord {
  if (scored === 0) return 'errored';
  if (passed === scored) return 'passed';
  return passed > 0 || (mean ?? 0) > 0 ? 'partial' : 'failed';
}

/** "passed", "3 of 5 passed", "3 of 4 passed, 1 errored": errored samples never count as failed. */
export function cellText(cell: Cell): string {
  const { scored, passed, errored } = cell;
  if (scored + errored === 0) return 'not run';
  if (scored + errored === 1) return cellVerdict(cell);
  if (scored === 0) return `${count(errored)} errored`;
  return `${count(passed)} of ${count(scored)} passed${errored ? `, ${count(errored)} errored` : ''}`;
}

interface MatrixProps {
  targets: readonly string[];
  cases: readonly RunCase[];
  /** Links a case or a cell to its results. */
  link: (of: { case: string; model?: string[] }, content: ReactNode, label?: string) => ReactNode;
  /** What the names of all models begin with. */
  prefix?: string;
  /** The rest of a model's name. */
  nameOf?: (target: string) => ReactNode;
}

const caseNameOf = ({ case_name: name, prompt }: RunCase): string => name ?? prompt;

/** Cases by model: number of passed samples. */
export function Matrix({ targets, cases, link, prefix = '', nameOf = plainName }: MatrixProps) {
  return (
    <Table
      label="Cases by model"
      className={css.matrix}
      rows={cases}
      keyOf={({ case_id: id }) => id}
      columns={[
        { name: 'No.', isNumber: true, className: 'muted', cell: ({ position }) => count(position + 1) },
        {
          name: prefix === '' ? 'Case' : <ModelsBegin prefix={prefix} />,
          isHeading: true,
          className: 'named',
          cell: (one) => link({ case: one.case_id }, <UserLine text={caseNameOf(one)} />),
        },
        ...targets.map((target, ordinal): Column<RunCase> => ({
          name: <div className={css.upright}>{nameOf(target)}</div>,
          cell: (one) => <MatrixCell {...{ one, target, link }} cell={one.cells[ordinal]} />,
        })),
      ]}
    />
  );
}

const plainName = (target: string) => <UserLine text={target} />;

interface MatrixCellProps extends Pick<MatrixProps, 'link'> {
  one: RunCase;
  target: string;
  cell: Cell | undefined;
}

function MatrixCell({ one, target, cell, link }: MatrixCellProps) {
  if (!cell || cell.scored + cell.errored === 0) return <span className="muted">not run</span>;
  const label = `${cellText(cell)}: ${caseNameOf(one).slice(0, 100)}, ${target.slice(0, 100)}`;
  return link(
    { case: one.case_id, model: [target] },
    <>
      <VerdictMark word={cellVerdict(cell)} />
      {isMixed(cell) && <span className="small">{`${count(cell.passed)}/${count(cell.scored)}`}</span>}
    </>,
    label,
  );
}

/** Whether some samples of a cell passed, and others did not. */
const isMixed = ({ scored, passed }: Cell): boolean => passed > 0 && passed < scored;

/** What the names of all models begin with. */
const ModelsBegin = ({ prefix }: { prefix: string }) => (
  <>
    Case{' '}
    <span className="muted">
      by model <UserText text={prefix} max={100} />…
    </span>
  </>
);

const LEGEND = { passed: 'passed', partial: 'partly', failed: 'failed', errored: 'errored' } as const;

export const MatrixLegend = () =>
  (Object.keys(LEGEND) as VerdictWord[]).map((word) => (
    <span key={word} className="muted">
      <VerdictMark word={word} /> {LEGEND[word]}
    </span>
  ));
