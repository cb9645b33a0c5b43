import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { statusOf } from '../../../api/client';
import { gateQuery } from '../api';
import { Empty } from '../../../ui/empty';
import { ErrorNotice } from '../../../ui/error-notice';
import { Skeleton } from '../../../ui/skeleton';
import { GateCheck } from './gate-check';
import { GateHead } from './gate-head';
import { GateRuns } from './gate-runs';
import { RunGateForm } from './run-gate-form';
import '../../../ui/form/set-up.css';
import '../../../ui/facts.css';
import '../../runs/parts/runs.css';
import { Stale } from '../../../ui/stale';
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
