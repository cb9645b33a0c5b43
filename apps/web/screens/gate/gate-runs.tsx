import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { Gate, GateRun } from '#lib/gate/contract';
import { gateRunsQuery } from '../../api/gates';
import { Empty } from '../../parts/empty';
import { Failed } from '../../parts/failed';
import { GateResult } from '../../parts/gate-result';
import { Given } from '../../parts/given';
import { Skeleton } from '../../parts/skeleton';
import { Status } from '../../parts/status';
import { Time } from '../../parts/time';

const MAX_TEXT = 300;

/** The gate's runs, newest first. */
export function GateRuns({ gate: { id } }: { gate: Gate }) {
  const { after } = useSearch({ from: '/signed-in/gates/$gateId' });
  const { data, error, isPending, refetch } = useQuery({ ...gateRunsQuery(id, after), refetchOnMount: 'always' });
  const { items = [], next_cursor: next = null } = data ?? {};
  return (
    <section aria-labelledby="gate-runs" className="section">
      <h2 id="gate-runs">What was measured</h2>
      {error && <Failed error={error} retry={refetch} />}
      {isPending && <Skeleton rows={4} />}
      {data && items.length === 0 && <Empty>Nothing was measured yet: run the gate above.</Empty>}
      {items.length > 0 && <Rows gateId={id} runs={items} />}
      {(after !== undefined || next !== null) && (
        <nav className="actions" aria-label="Pages of gate runs">
          {after !== undefined && (
            <Link to="/gates/$gateId" params={{ gateId: id }} className="button">
              Newest
            </Link>
          )}
          {next !== null && (
            <Link to="/gates/$gateId" params={{ gateId: id }} search={{ after: next }} className="button">
              Older
            </Link>
          )}
        </nav>
      )}
    </section>
  );
}

const Rows = ({ gateId, runs }: { gateId: string; runs: GateRun[] }) => (
  <div className="wide" tabIndex={0} role="region" aria-label="List of gate runs">
    <table className="gate-run-rows">
      <thead>
        <tr>
          <th>Submitted</th>
          <th>Result</th>
          <th className="number">Version</th>
          <th className="number">Looks</th>
          <th>What it says</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.id}>
            <td>
              <Link to="/gates/$gateId/runs/$gateRunId" params={{ gateId, gateRunId: run.id }}>
                <Time at={run.created_at} />
              </Link>
            </td>
            <td>{run.result ? <GateResult result={run.result.result} /> : <Status status={run.status} />}</td>
            <td className="number">{run.gate_version}</td>
            <td className="number">{run.looks.length}</td>
            <td className="says">
              <Given text={run.result?.text ?? ''} max={MAX_TEXT} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
