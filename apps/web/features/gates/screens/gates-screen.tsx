import { Link, useSearch } from '@tanstack/react-router';
import type { Gate } from '#lib/gate/contract';
import { Empty } from '../../../ui/empty';
import { List } from '../../../ui/list';
import type { Column } from '../../../ui/table';
import { Time } from '../../../ui/time';
import { UserLine } from '../../../ui/user-text';
import { RunLink } from '../../runs/parts/run-link';
import { SuiteName } from '../../suites/parts/suite-name';
import { gatesQuery } from '../api';
import { pointsText } from '../parts/gate-words';

/** The gates that decide whether a change may ship. */
export function GatesScreen() {
  const { after } = useSearch({ from: '/signed-in/gates' });
  return (
    <>
      <div className="head">
        <h1>Gates</h1>
        <NewGateLink />
      </div>
      <List
        label="List of gates"
        of="gates"
        query={gatesQuery(after)}
        after={after}
        className="run-rows"
        keyOf={({ id }) => id}
        columns={COLUMNS}
        empty={
          <Empty action={<NewGateLink />}>
            No gates yet. A gate decides whether a change may ship: whether a run is shown not to be worse than a
            baseline, by rules fixed in advance.
          </Empty>
        }
      />
    </>
  );
}

const NewGateLink = () => (
  <Link to="/gates/new" className="button primary">
    New gate
  </Link>
);

const COLUMNS: Column<Gate>[] = [
  {
    name: 'Gate',
    className: 'named',
    cell: ({ id, name, version }) => (
      <>
        <Link to="/gates/$gateId" params={{ gateId: id }}>
          <UserLine text={name} />
        </Link>
        <span className="small muted">version {version}</span>
      </>
    ),
  },
  { name: 'Suite', className: 'named', cell: ({ suite_name: suite }) => <SuiteName name={suite} /> },
  { name: 'Measure', className: 'named', cell: ({ measure }) => <UserLine text={measure} /> },
  { name: 'Margin', cell: ({ margin }) => pointsText(margin) },
  { name: 'Looks', isNumber: true, cell: ({ looks }) => looks },
  {
    name: 'Baseline',
    className: 'named',
    cell: ({ baseline_eval_id: baseline }) =>
      baseline === null ? <span className="muted">none: nothing is measured</span> : <RunLink runId={baseline} />,
  },
  { name: 'Changed', cell: ({ updated_at: at }) => <Time at={at} /> },
];
