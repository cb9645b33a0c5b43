import { Link } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import type { Run } from '#lib/contracts/run';
import { Bar, isUnderWay, Status } from '../../../ui/status';
import { count, Score } from '../../../ui/amounts';
import { Table, type Column } from '../../../ui/table';
import { Time } from '../../../ui/time';
import { UserLine } from '../../../ui/user-text';
import { topModel } from './run-score';

/** Runs, newest first. `more` adds a cell to each row. */
export function RunRows({ runs, more }: { runs: Run[]; more?: (run: Run) => ReactNode }) {
  return (
    <Table
      label="List of runs"
      className="run-rows"
      rows={runs}
      keyOf={({ id }) => id}
      columns={[...RUN_COLUMNS, ...(more ? [{ name: 'Actions', isNameHidden: true, cell: more }] : [])]}
    />
  );
}

const suiteOf = ({ suite }: Run): string => `${suite.name}, version ${suite.version}`;

/** What lists of runs show of each. */
export const RUN_COLUMNS: Column<Run>[] = [
  {
    name: 'Run',
    className: 'named',
    cell: (run) => (
      <>
        <Link to="/runs/$runId" params={{ runId: run.id }}>
          <UserLine text={run.name ?? suiteOf(run)} />
        </Link>
        {run.name !== null && <Remark text={suiteOf(run)} />}
        {run.note !== null && <Remark text={run.note} />}
      </>
    ),
  },
  {
    name: 'Status',
    cell: ({ status, counts }) => (
      <>
        <Status status={status} />
        {isUnderWay(status) && <Bar done={counts.settled} total={counts.total} label="Results of the run so far" />}
      </>
    ),
  },
  {
    name: 'Best model',
    className: 'named',
    cell: (run) => {
      const top = topModel(run);
      return top ? <UserLine text={top.target} /> : <span className="muted">none yet</span>;
    },
  },
  { name: 'Score', cell: (run) => <BestScore run={run} /> },
  { name: 'Models', isNumber: true, cell: ({ targets }) => targets.length },
  {
    name: 'Submitted',
    cell: ({ created_at: at, submitted_by: by }) => (
      <>
        <Time at={at} />
        {by !== null && <Remark text={`by ${by}`} max={60} />}
      </>
    ),
  },
];

function BestScore({ run }: { run: Run }) {
  const { errored } = run.counts;
  const top = topModel(run);
  if (top) return <Score mean={top.overall} ci={top.overall_ci} scored={top.scored} errored={errored} />;
  return errored > 0 && <span className="errored-count">{count(errored)} errored</span>;
}

const Remark = (given: ComponentProps<typeof UserLine>) => (
  <span className="small muted">
    <UserLine {...given} />
  </span>
);
