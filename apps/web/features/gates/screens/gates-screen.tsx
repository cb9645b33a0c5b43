import { Link, useSearch } from '@tanstack/react-router';
import type { Gate } from '#lib/gate/contract';
import { Empty } from '../../../ui/empty';
import { List } from '../../../ui/list';
import type { Column } from '../../../ui/table';
import { deltaText } from '../../../ui/figures/delta';
import { Head } from '../../../ui/head';
import { Time } from '../../../ui/time';
import { useHidden } from '../../../ui/undo';
import { UserLine, visible } from '../../../ui/user-text';
import { ModelName } from '../../providers/parts/model-name';
import { RunLink } from '../../runs/parts/run-link';
import { SuiteName } from '../../suites/parts/suite-name';
import { gatesQuery } from '../api';
import { GateResult } from '../parts/gate-result';
import { pointsText } from '../parts/gate-words';

/** The gates that decide whether a change may ship. */
export function GatesScreen() {
  const { after } = useSearch({ from: '/signed-in/gates' });
  const hidden = useHidden();
  return (
    <>
      <Head title="Gates" actions={<NewGateLink />} />
      <List
        label="List of gates"
        of="gates"
        query={gatesQuery(after)}
        after={after}
        className="run-rows"
        keyOf={({ id }) => id}
        rowProps={({ id }) => ({ hidden: hidden.has(id) })}
        columns={COLUMNS}
        empty={<Empty action={<NewGateLink />}>No gates yet. A gate decides whether a change may ship.</Empty>}
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
    cell: ({ id, name }) => (
      <Link to="/gates/$gateId" params={{ gateId: id }}>
        <UserLine text={name} />
      </Link>
    ),
  },
  { name: 'Last result', cell: (gate) => <LastResult gate={gate} /> },
  {
    name: 'Worst model',
    className: 'named',
    cell: ({ last }) =>
      last?.worst ? (
        <>
          <ModelName target={last.worst.target} />
          <span className="small muted">{deltaText({ difference: last.worst.difference, interval: null })}</span>
        </>
      ) : (
        '–'
      ),
  },
  { name: 'Suite', className: 'named', cell: ({ suite_name: suite }) => <SuiteName name={suite} /> },
  { name: 'Margin', isNumber: true, cell: ({ margin }) => pointsText(margin) },
  {
    name: 'Baseline',
    className: 'named',
    cell: ({ baseline_eval_id: baseline }) =>
      baseline === null ? <span className="muted">none</span> : <RunLink runId={baseline} />,
  },
];

/** The newest answer, with its run or its check. */
function LastResult({ gate: { id: gateId, last } }: { gate: Gate }) {
  if (!last) return <span className="muted">none</span>;
  const { gate_run_id: gateRunId, eval_id: check, result, text, at } = last;
  const shown = (
    <span title={visible(text)}>
      <GateResult result={result} />
    </span>
  );
  return (
    <>
      {gateRunId !== null ? (
        <Link to="/gates/$gateId/runs/$gateRunId" params={{ gateId, gateRunId }}>
          {shown}
        </Link>
      ) : (
        <Link to="/gates/$gateId" params={{ gateId }} search={{ check: check ?? undefined }}>
          {shown}
        </Link>
      )}{' '}
      <span className="small muted">
        <Time at={at} />
      </span>
    </>
  );
}
