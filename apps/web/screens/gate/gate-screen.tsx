import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { statusOf } from '../../api/client';
import { gateQuery } from '../../api/gates';
import { Empty } from '../../parts/empty';
import { ErrorNotice } from '../../parts/error-notice';
import { Skeleton } from '../../parts/skeleton';
import { GateCheck } from './gate-check';
import { GateHead } from './gate-head';
import { GateRuns } from './gate-runs';
import { RunGateForm } from './run-gate-form';
import '../../parts/set-up/set-up.css';
import '../../parts/facts.css';
import '../../parts/runs.css';
import { Stale } from '../../parts/stale';
import './gate.css';

/** The rules of a gate, its runs, and a form for a new one. */
export function GateScreen() {
  const { gateId } = useParams({ from: '/signed-in/gates/$gateId' });
  const gate = useQuery(gateQuery(gateId));
  const { data, error, isPending, refetch } = gate;
  if (isPending) return <Skeleton rows={12} />;
  if (!data && statusOf(error) === 404) return <NoGate />;
  if (!data) return <ErrorNotice error={error!} retry={refetch} />;
  return (
    <>
      <GateHead key={data.id} gate={data} />
      <Stale query={gate} />
      <RunGateForm key={`run ${data.id}`} gate={data} />
      <GateCheck gate={data} />
      <GateRuns gate={data} />
    </>
  );
}

const NoGate = () => (
  <Empty
    action={
      <Link to="/gates" className="button">
        All gates
      </Link>
    }
  >
    There is no such gate in your team. It may have been deleted.
  </Empty>
);
