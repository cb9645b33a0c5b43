import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { Gate, GateRun } from '#lib/gate/contract';
import { gateRunsQuery } from '../api';
import { Empty } from '../../../ui/empty';
import { ErrorNotice } from '../../../ui/error-notice';
import { GateResult } from '../parts/gate-result';
import { UserText } from '../../../ui/user-text';
import { Skeleton } from '../../../ui/skeleton';
import { Status } from '../../../ui/status';
import { Table } from '../../../ui/table';
import { Time } from '../../../ui/time';
import { PageLinks } from '../../../ui/page-links';

const MAX_TEXT = 300;

/** The gate's runs, newest first. */
export function GateRuns({ gate: { id } }: { gate: Gate }) {
  const { after } = useSearch({ from: '/signed-in/gates/$gateId' });
  const { data, error, isPending, refetch } = useQuery({ ...gateRunsQuery(id, after), refetchOnMount: 'always' });
  const { items = [], next_cursor: next = null } = data ?? {};
  return (
    <section aria-labelledby="gate-runs" className="section">
      <h2 id="gate-runs">Gate runs</h2>
      {error && <ErrorNotice error={error} retry={refetch} />}
      {isPending && <Skeleton rows={4} />}
      {data && items.length === 0 && <Empty>No gate runs yet. Run the gate above.</Empty>}
      {items.length > 0 && <GateRunTable gateId={id} runs={items} />}
      <PageLinks of="gate runs" after={after} next={next} />
    </section>
  );
}

const GateRunTable = ({ gateId, runs }: { gateId: string; runs: GateRun[] }) => (
  <Table
    label="List of gate runs"
    className="run-rows"
    rows={runs}
    keyOf={({ id }) => id}
    columns={[
      {
        name: 'Submitted',
        cell: ({ id, created_at: at }) => (
          <Link to="/gates/$gateId/runs/$gateRunId" params={{ gateId, gateRunId: id }}>
            <Time at={at} />
          </Link>
        ),
      },
      {
        name: 'Result',
        cell: ({ result, status }) => (result ? <GateResult result={result.result} /> : <Status status={status} />),
      },
      { name: 'Version', isNumber: true, cell: (run) => run.gate_version },
      { name: 'Looks', isNumber: true, cell: ({ looks }) => looks.length },
      {
        name: 'Explanation',
        className: 'says',
        cell: ({ result }) => <UserText text={result?.text ?? ''} max={MAX_TEXT} />,
      },
    ]}
  />
);
