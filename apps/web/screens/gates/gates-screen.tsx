import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { Gate } from '#lib/gate/contract';
import { gatesQuery } from '../../api/gates';
import { Empty } from '../../parts/empty';
import { Failed } from '../../parts/failed';
import { pointsText } from '../../parts/gate-words';
import { GivenLine } from '../../parts/given';
import { RunLink } from '../../parts/run-link';
import { Skeleton } from '../../parts/skeleton';
import { Time } from '../../parts/time';
import './gates.css';

/** The gates that decide whether a change may ship. */
export function GatesScreen() {
  const { after } = useSearch({ from: '/signed-in/gates' });
  const { data, error, isPending, refetch } = useQuery(gatesQuery(after));
  const { items = [], next_cursor: next = null } = data ?? {};
  return (
    <>
      <div className="head">
        <h1>Gates</h1>
        <New />
      </div>
      {error && <Failed error={error} retry={refetch} />}
      {isPending && <Skeleton rows={8} />}
      {items.length > 0 && <Rows gates={items} />}
      {data && items.length === 0 && (
        <Empty action={<New />}>
          Here will be the gates of the team. A gate decides whether a change may ship: whether a run is shown not to be
          worse than a baseline, by rules that are fixed before.
        </Empty>
      )}
      {(after !== undefined || next !== null) && (
        <nav className="actions" aria-label="Pages of gates">
          {after !== undefined && (
            <Link to="/gates" className="button">
              Newest
            </Link>
          )}
          {next !== null && (
            <Link to="/gates" search={{ after: next }} className="button">
              Older
            </Link>
          )}
        </nav>
      )}
    </>
  );
}

const New = () => (
  <Link to="/gates/new" className="button primary">
    New gate
  </Link>
);

const Rows = ({ gates }: { gates: Gate[] }) => (
  <div className="wide" tabIndex={0} role="region" aria-label="List of gates">
    <table className="gate-rows">
      <thead>
        <tr>
          <th>Gate</th>
          <th>Suite</th>
          <th>Measure</th>
          <th>Margin</th>
          <th className="number">Looks</th>
          <th>Baseline</th>
          <th>Changed</th>
        </tr>
      </thead>
      <tbody>
        {gates.map((gate) => (
          <Row key={gate.id} gate={gate} />
        ))}
      </tbody>
    </table>
  </div>
);

function Row({ gate }: { gate: Gate }) {
  const { id, name, version, suite_name: suite, measure, margin, looks, baseline_eval_id: baseline } = gate;
  return (
    <tr>
      <td className="named">
        <Link to="/gates/$gateId" params={{ gateId: id }}>
          <GivenLine text={name} />
        </Link>
        <span className="small muted">version {version}</span>
      </td>
      <td className="named">{suite === null ? <span className="muted">deleted</span> : <GivenLine text={suite} />}</td>
      <td className="named">
        <GivenLine text={measure} />
      </td>
      <td>{pointsText(margin)}</td>
      <td className="number">{looks}</td>
      <td className="named">
        {baseline === null ? <span className="muted">none: nothing is measured</span> : <RunLink runId={baseline} />}
      </td>
      <td>
        <Time at={gate.updated_at} />
      </td>
    </tr>
  );
}
