import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { Gate } from '#lib/gate/contract';
import { gatesQuery } from '../api';
import { Empty } from '../../../ui/empty';
import { ErrorNotice } from '../../../ui/error-notice';
import { pointsText } from '../parts/gate-words';
import { UserLine } from '../../../ui/user-text';
import { RunLink } from '../../runs/parts/run-link';
import { Skeleton } from '../../../ui/skeleton';
import { SuiteName } from '../../suites/parts/suite-name';
import { Time } from '../../../ui/time';
import { PageLinks } from '../../../ui/page-links';
import { Table, type Column } from '../../../ui/table';
import '../../runs/parts/runs.css';

/** The gates that decide whether a change may ship. */
export function GatesScreen() {
  const { after } = useSearch({ from: '/signed-in/gates' });
  const { data, error, isPending, refetch } = useQuery(gatesQuery(after));
  const { items = [], next_cursor: next = null } = data ?? {};
  return (
    <>
      <div className="head">
        <h1>Gates</h1>
        <NewGateLink />
      </div>
      {error && <ErrorNotice error={error} retry={refetch} />}
      {isPending && <Skeleton rows={8} />}
      {items.length > 0 && (
        <Table label="List of gates" className="run-rows" rows={items} keyOf={({ id }) => id} columns={COLUMNS} />
      )}
      {data && items.length === 0 && (
        <Empty action={<NewGateLink />}>
          No gates yet. A gate decides whether a change may ship: whether a run is shown not to be worse than a
          baseline, by rules fixed in advance.
        </Empty>
      )}
      <PageLinks of="gates" after={after} next={next} />
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
